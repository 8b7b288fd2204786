import { expect, test } from "vitest";
import { interruptionGroup, reconcileGroup } from "#ports/rights.ts";
import { clusterRoles } from "../../../shared/adapters/kubernetes/cluster-roles.ts";
import { type AuditedCall, auditedCalls } from "../support/audit.ts";
import type { World } from "../support/world.ts";

interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

/** Rights for what no scenario brings about, and why they are given. */
const rarelyUsed: Readonly<Record<string, readonly string[]>> = {
  // Whoever repeats a creation looks whether the claim is the one that it meant.
  "outrigger-reconcile": ["get karpenter.sh/nodeclaims"],
  // A first fact may be one of an interruption.
  "outrigger-interruption": ["create /configmaps"],
};

/** By the API server's own record of everything that the functions did in the scenarios before. */
export function roleRights(world: () => World): void {
  test.each([
    { role: "outrigger-reconcile", group: reconcileGroup },
    { role: "outrigger-interruption", group: interruptionGroup },
  ])("$role gives each right that its function used, and no other", ({ role, group }) => {
    const calls = auditedCalls(world().real.controlPlane.root, group);
    const rightsIn = (some: readonly AuditedCall[]): ReadonlySet<string> =>
      new Set(some.map(({ verb, apiGroup, resource }) => `${verb} ${apiGroup}/${resource}`));
    // An API server that has just started refuses everybody for a moment: it has not read the roles yet.
    const allowed = rightsIn(calls.filter(({ status }) => status !== 403));
    const refused = [...rightsIn(calls)].filter((right) => !allowed.has(right));
    expect(refused).toEqual([]);
    expect([...new Set([...allowed, ...(rarelyUsed[role] ?? [])])].sort()).toEqual(rightsOf(role));
  });
}

function rightsOf(name: string): readonly string[] {
  const roles = (clusterRoles() as readonly Role[]).filter(({ metadata }) => metadata.name === name);
  const rights = roles.flatMap(({ rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      verbs.flatMap((verb) => apiGroups.flatMap((group) => resources.map((one) => `${verb} ${group}/${one}`))),
    ),
  );
  return [...new Set(rights)].sort();
}
