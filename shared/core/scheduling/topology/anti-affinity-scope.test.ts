/** Whom anti-affinity means: namespaces, namespaceSelector, matchLabelKeys and mismatchLabelKeys, from both sides. */
import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { apart, hostKey, podsOfClaims, podsOnNodes, term, zoneKey } from "../../../../test/support/pod-rules.ts";
import {
  boundPod,
  node,
  nodePool,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const namespaces = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "data", labels: { kind: "shared" } } },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", labels: { kind: "own" } } },
];
const plan = (cluster: Partial<ClusterView>): Plan =>
  planProvisioning(snapshotOf({ nodePools: [nodePool("default")], namespaces, ...cluster }), testProvider);
const nodes = [
  node("n-1", { cpu: "8", memory: "16Gi", pods: "20" }, { labels: { [zoneKey]: "zone-a", [hostKey]: "n-1" } }),
];

type More = Parameters<typeof term>[2];
const scopes: readonly [string, More, boolean][] = [
  ["its own namespace, when nothing is said", {}, false],
  ["namespaces that are named", { namespaces: ["data"] }, true],
  ["namespaces that the selector means", { namespaceSelector: { matchLabels: { kind: "shared" } } }, true],
  ["no others", { namespaceSelector: { matchLabels: { kind: "none" } } }, false],
  ["both together", { namespaces: ["data"], namespaceSelector: { matchLabels: { kind: "none" } } }, true],
  ["all, for an empty selector", { namespaceSelector: {} }, true],
];

describe("anti-affinity keeps away from", () => {
  test.each(scopes)("%s", (_, more, isKept) => {
    const db = boundPod("db", "n-1", { cpu: "1" }, {}, { namespace: "data", labels: { app: "db" } });
    const asking = pendingPod("p", { cpu: "1" }, apart(term(hostKey, "db", more)), { labels: { app: "web" } });
    expect(podsOnNodes(plan({ pods: [db, asking], nodes }))).toEqual(isKept ? {} : { "n-1": ["p"] });
  });
});

describe("a running pod's anti-affinity keeps away pods of", () => {
  test.each(scopes)("%s", (_, more, isKept) => {
    const db = boundPod("db", "n-1", { cpu: "1" }, apart(term(hostKey, "web", more)), { labels: { app: "db" } });
    const other = pendingPod("p", { cpu: "1" }, {}, { namespace: "data", labels: { app: "web" } });
    expect(podsOnNodes(plan({ pods: [db, other], nodes }))).toEqual(isKept ? {} : { "n-1": ["p"] });
  });
});

describe("label keys", () => {
  const tenant = (name: string, value: string, more: More): Pod =>
    pendingPod(name, { cpu: "500m" }, apart({ topologyKey: hostKey, labelSelector: {}, ...more }), {
      labels: { tenant: value },
    });
  const pairs = (more: More) =>
    podsOfClaims(plan({ pods: [tenant("a-1", "a", more), tenant("a-2", "a", more), tenant("b-1", "b", more)] }))
      .map((names) => [...names].sort().join(" "))
      .sort();

  test("mismatchLabelKeys: tenants stay apart and share with themselves", () => {
    expect(
      pairs({
        labelSelector: { matchExpressions: [{ key: "tenant", operator: "Exists" }] },
        mismatchLabelKeys: ["tenant"],
      }),
    ).toEqual(["a-1 a-2", "b-1"]);
  });

  test("matchLabelKeys: pods of one tenant stay apart and share with others", () => {
    const answer = pairs({ matchLabelKeys: ["tenant"] });
    expect(answer).toHaveLength(2);
    expect(answer.some((names) => names.includes("a-1") && names.includes("a-2"))).toBe(false);
  });
});
