import { describe, expect, test } from "vitest";
import { clusterRoles } from "./cluster-roles.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}
interface Role {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules: readonly Rule[];
}

function rulesOf(kind: string, name: string): readonly Rule[] {
  const roles = clusterRoles() as readonly Role[];
  return roles.find((role) => role.kind === kind && role.metadata.name === name)?.rules ?? [];
}

describe("the roles", () => {
  test("give no verb on everything, no secrets, and each resource once", () => {
    for (const name of ["outrigger-reconcile", "outrigger-interruption"]) {
      const rules = rulesOf("ClusterRole", name);
      expect(rules.length).toBeGreaterThan(2);
      const resources = rules.map(({ apiGroups, resources: named }) => `${apiGroups}/${named}`);
      expect(new Set(resources).size).toBe(resources.length);
      expect(JSON.stringify(rules)).not.toMatch(/\*|secrets|impersonate|escalate|bind"/);
    }
  });

  test("reach ConfigMaps and Leases by one name only, in one namespace", () => {
    expect(rulesOf("ClusterRole", "outrigger-reconcile").map(({ resources }) => resources[0])).not.toContain(
      "configmaps",
    );
    const rules = rulesOf("Role", "outrigger-reconcile");
    for (const { verbs, resourceNames } of rules) {
      if (verbs.includes("create")) expect(verbs).toEqual(["create"]);
      else expect(resourceNames).toEqual(["outrigger"]);
    }
    expect(rulesOf("ClusterRole", "outrigger-reconcile")).toContainEqual({
      ...{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["list"] },
      resourceNames: ["karpenter-leader-election"],
    });
  });

  test("let the interruption function neither create claims nor touch pods", () => {
    const resources = rulesOf("ClusterRole", "outrigger-interruption");
    expect(resources.flatMap(({ resources: named }) => named)).not.toContain("pods");
    const claims = resources.find(({ resources: [resource] }) => resource === "nodeclaims");
    expect(claims?.verbs).toEqual(["delete", "list", "patch"]);
    const leases = [...resources, ...rulesOf("Role", "outrigger-interruption")].filter(
      ({ resources: [one] }) => one === "leases",
    );
    expect(leases).toEqual([
      {
        ...{ apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["list"] },
        resourceNames: ["karpenter-leader-election"],
      },
    ]);
  });
});
