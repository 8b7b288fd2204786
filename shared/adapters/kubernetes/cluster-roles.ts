import type { Json } from "#api/core-v1/meta.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import type { Command } from "#core/command.ts";
import { karpenterLeaseName } from "#ports/lease.ts";
import {
  type ClusterRight,
  clusterObservation,
  clusterRights,
  interruptionGroup,
  karpenterLeaseRights,
  leaseRights,
  reconcileGroup,
} from "#ports/rights.ts";

type Rule = { readonly [key: string]: Json };

/** What the interruption function may decide, and what it looks at. */
const interruptionCommands: readonly Command["kind"][] = [
  "delete-object",
  "patch-metadata",
  "patch-state",
  "record-event",
];
const interruptionObservation: ReadonlySet<string> = new Set(["nodeclaims", "nodes", "nodepools", "configmaps"]);
const interruptionWrites: ReadonlySet<string> = new Set(["nodeclaims", "configmaps", "events"]);

/** Outrigger knows one object of each of these by name; a right on all of them would reach other people's. */
const namedOnly: ReadonlySet<string> = new Set(["configmaps", "leases"]);

/**
 * Roles and bindings for the functions, made of the tables in ports/rights and of nothing else: what the tables do not
 * name no function may do.
 */
export function clusterRoles(): readonly object[] {
  const all = Object.values(clusterRights).flat();
  const some = interruptionCommands.flatMap((kind) => clusterRights[kind]);
  return [
    ...rolesFor("outrigger-reconcile", reconcileGroup, [...clusterObservation, ...all, ...leaseRights]),
    ...rolesFor("outrigger-interruption", interruptionGroup, [
      // It looks once and is gone: there is nothing to follow.
      ...clusterObservation
        .filter(({ resource }) => interruptionObservation.has(resource))
        .map((right): ClusterRight => ({ ...right, verbs: ["list"] })),
      ...some.filter(({ resource }) => interruptionWrites.has(resource)),
      ...karpenterLeaseRights,
    ]),
  ];
}

function rolesFor(name: string, group: string, rights: readonly ClusterRight[]): readonly object[] {
  const merged = mergedRights(rights);
  const plain = merged.filter(({ resource }) => !namedOnly.has(resource));
  const named = merged.filter(({ resource }) => namedOnly.has(resource));
  const api = "rbac.authorization.k8s.io";
  const labels = { "app.kubernetes.io/managed-by": "outrigger" };
  const subjects = [{ kind: "Group", apiGroup: api, name: group }];
  const clusterRole = { apiVersion: `${api}/v1`, kind: "ClusterRole", metadata: { name, labels } };
  const role = { apiVersion: `${api}/v1`, kind: "Role", metadata: { name, namespace: stateNamespace, labels } };
  return [
    { ...clusterRole, rules: [...plain.map(ruleOf), ...named.flatMap(foreignLeases)] },
    { ...role, rules: named.flatMap(namedRules) },
    {
      ...{ apiVersion: `${api}/v1`, kind: "ClusterRoleBinding", metadata: { name, labels } },
      ...{ roleRef: { apiGroup: api, kind: "ClusterRole", name }, subjects },
    },
    {
      ...{ apiVersion: `${api}/v1`, kind: "RoleBinding", metadata: { name, namespace: stateNamespace, labels } },
      ...{ roleRef: { apiGroup: api, kind: "Role", name }, subjects },
    },
  ];
}

/** One right a resource, in the order of names. */
function mergedRights(rights: readonly ClusterRight[]): readonly ClusterRight[] {
  const byResource = new Map<string, ClusterRight>();
  for (const right of rights) {
    const key = `${right.apiGroup}/${right.resource}`;
    const verbs = new Set([...(byResource.get(key)?.verbs ?? []), ...right.verbs]);
    byResource.set(key, { ...right, verbs: [...verbs].sort() });
  }
  return [...byResource].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, right]) => right);
}

function ruleOf({ apiGroup, resource, verbs }: ClusterRight): Rule {
  return { apiGroups: [apiGroup], resources: [resource], verbs: [...verbs] };
}

/** A name cannot restrict a creation; it restricts everything else, lists by that name included. */
function namedRules(right: ClusterRight): readonly Rule[] {
  const others = right.verbs.filter((verb) => verb !== "create" && !(right.resource === "leases" && verb === "list"));
  return [
    ...(right.verbs.includes("create") ? [ruleOf({ ...right, verbs: ["create"] })] : []),
    ...(others.length > 0 ? [{ ...ruleOf({ ...right, verbs: others }), resourceNames: [stateName] }] : []),
  ];
}

/** An in-cluster Karpenter may live in any namespace. */
function foreignLeases(right: ClusterRight): readonly Rule[] {
  if (right.resource !== "leases") return [];
  return [{ ...ruleOf({ ...right, verbs: ["list"] }), resourceNames: [karpenterLeaseName] }];
}
