/** minDomains, nodeAffinityPolicy, nodeTaintsPolicy and matchLabelKeys of a spread, where nobody says otherwise and where they meet. */
import { describe, expect, test } from "vitest";
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import type { ClusterView } from "#core/snapshot.ts";
import {
  hostKey,
  podsBy,
  podsOnNodes,
  spread,
  spreading,
  unplacedPods,
  web,
  zoneKey,
} from "../../../../test/support/pod-rules.ts";
import {
  boundPod,
  instanceType,
  node,
  nodePool,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const plan = (cluster: Partial<ClusterView>): Plan =>
  planProvisioning(snapshotOf({ nodePools: [nodePool("default")], ...cluster }), testProvider);
const webPods = (count: number, spec: Partial<PodSpec>, name = "web"): Pod[] =>
  Array.from({ length: count }, (_, i) => pendingPod(`${name}-${i}`, { cpu: "1" }, spec, web));
const host = (name: string, zone: string, more: Parameters<typeof node>[2] = {}) =>
  node(name, { cpu: "8", memory: "16Gi", pods: "20" }, { labels: { [zoneKey]: zone }, ...more });
const tainted = (name: string, zone: string) =>
  host(name, zone, { spec: { providerID: name, taints: [{ key: "own", effect: "NoSchedule" }] } });

describe("minDomains", () => {
  test("is each spread's own, also where the selector is the same (slip 10)", () => {
    const many = webPods(4, spreading(spread(zoneKey, { minDomains: 4 })), "many");
    const few = webPods(3, spreading(spread(zoneKey)), "few");
    const unplaced = unplacedPods(plan({ pods: [...many, ...few] }));
    // A zone each while a fourth is missing; the others go on from there, three more.
    expect(unplaced.filter((name) => name.startsWith("few"))).toEqual([]);
    expect(unplaced.filter((name) => name.startsWith("many")).length).toBeGreaterThanOrEqual(1);
  });

  test.each([
    [2, 4],
    [3, 2],
  ])("%d of hosts, where two are there and no more can be: %d pods have a place", (minDomains, placed) => {
    const nodes = [host("n-1", "zone-a"), host("n-2", "zone-a")];
    const pods = webPods(4, spreading(spread(hostKey, { minDomains })));
    expect(unplacedPods(plan({ pods, nodes, nodePools: [] }))).toHaveLength(4 - placed);
  });
});

describe("where a spread says nothing", () => {
  test("nodes outside the pod's affinity do not count (nodeAffinityPolicy Honor)", () => {
    const nodes = [host("n-a", "zone-a"), host("n-b", "zone-b")];
    const pods = webPods(3, { ...spreading(spread(zoneKey)), nodeSelector: { [zoneKey]: "zone-a" } });
    expect(podsOnNodes(plan({ pods, nodes }))).toEqual({ "n-a": ["web-0", "web-1", "web-2"] });
  });

  test("a node to be made does not count in a zone where its types would be outside the pod's affinity", () => {
    const label = (value: string) => [{ key: "example.dev/family", operator: "In" as const, values: [value] }];
    const plain = instanceType("plain", 4, {}, label("none"));
    const elsewhere = plain.offerings.filter(({ zone }) => zone !== "zone-a");
    const gpu = instanceType("gpu", 4, { offerings: elsewhere }, label("yes"));
    const alone = pendingPod("alone", { cpu: "3" });
    const pods = webPods(4, { ...spreading(spread(zoneKey)), nodeSelector: { "example.dev/family": "yes" } });
    const requirements = [{ key: "example.dev/family", operator: "Exists" as const }];
    const cluster = { pods: [...pods, alone], nodePools: [nodePool("default", { requirements })] };
    const made = planProvisioning(snapshotOf(cluster, [plain, gpu]), testProvider);
    expect(unplacedPods(made)).toEqual([]);
  });

  test("nodes that the pod does not tolerate count (nodeTaintsPolicy Ignore)", () => {
    const pods = webPods(6, spreading(spread(zoneKey)));
    expect(unplacedPods(plan({ pods, nodes: [tainted("n-x", "zone-x")] }))).toHaveLength(3);
  });
});

describe("nodeAffinityPolicy and nodeTaintsPolicy", () => {
  const running = (nodeName: string, count: number): Pod[] =>
    Array.from({ length: count }, (_, i) => boundPod(`${nodeName}-${i}`, nodeName, { cpu: "100m" }, {}, web));

  test("Ignore: the emptiest domain may be one that the pod cannot use (slip 10)", () => {
    const nodes = [host("n-a", "zone-a"), host("n-b", "zone-b")];
    const ask = (nodeAffinityPolicy: "Honor" | "Ignore") =>
      webPods(1, { ...spreading(spread(zoneKey, { nodeAffinityPolicy })), nodeSelector: { [zoneKey]: "zone-a" } });
    const pods = running("n-a", 1);
    expect(unplacedPods(plan({ nodes, pods: [...pods, ...ask("Honor")] }))).toEqual([]);
    expect(unplacedPods(plan({ nodes, pods: [...pods, ...ask("Ignore")] }))).toEqual(["web-0"]);
  });

  test("Honor: pods on nodes that are not tolerated do not count either", () => {
    const full = node("n-b", { cpu: "100m", memory: "1Gi", pods: "20" }, { labels: { [zoneKey]: "zone-b" } });
    const pool = nodePool("default", { requirements: [{ key: zoneKey, operator: "In", values: ["zone-a"] }] });
    const placed = (nodeTaintsPolicy: "Honor" | "Ignore") => {
      const pods = [...running("n-a", 3), ...webPods(1, spreading(spread(zoneKey, { nodeTaintsPolicy })))];
      return podsBy(plan({ nodes: [full, tainted("n-a", "zone-a")], nodePools: [pool], pods }), zoneKey);
    };
    expect(placed("Honor")).toEqual({ "zone-a": 1 });
    expect(placed("Ignore")).toEqual({});
  });

  test("a taint that only asks for preference excludes no node", () => {
    const taints = [{ key: "own", effect: "PreferNoSchedule" as const }];
    const nodes = [host("n-x", "zone-x", { spec: { providerID: "x", taints } })];
    const pods = webPods(6, spreading(spread(zoneKey, { nodeTaintsPolicy: "Honor" })));
    const result = plan({ pods, nodes });
    expect(unplacedPods(result)).toEqual([]);
    expect(Object.values(podsOnNodes(result)).flat().length).toBeGreaterThan(0);
  });
});

describe("matchLabelKeys", () => {
  const revision = (name: string, labels: Readonly<Record<string, string>>, matchLabelKeys: readonly string[]): Pod =>
    pendingPod(name, { cpu: "1" }, spreading(spread(zoneKey, { matchLabelKeys })), {
      labels: { ...web.labels, ...labels },
    });
  const nodes = [host("n-a", "zone-a"), host("n-b", "zone-b"), host("n-c", "zone-c")];
  const old = [0, 1].map((i) => boundPod(`old-${i}`, "n-a", { cpu: "1" }, {}, { labels: { ...web.labels, rev: "1" } }));
  const only = { nodeSelector: { [zoneKey]: "zone-a" } };
  const inZoneA = (pod: Pod): Pod => ({
    ...pod,
    spec: {
      ...pod.spec,
      ...only,
      topologySpreadConstraints: (pod.spec.topologySpreadConstraints ?? []).map((one) => ({
        ...one,
        nodeAffinityPolicy: "Ignore" as const,
      })),
    },
  });

  test.each<[string, Readonly<Record<string, string>>, readonly string[], readonly string[]]>([
    ["keeps other revisions out of the count", { rev: "2" }, ["rev"], []],
    ["counts the same revision", { rev: "1" }, ["rev"], ["p"]],
    ["of a label that the pod lacks changes nothing", {}, ["rev"], ["p"]],
    ["needs each of several keys", { rev: "1", tier: "x" }, ["rev", "tier"], []],
  ])("%s", (_, labels, keys, unplaced) => {
    const pods = [...old, inZoneA(revision("p", labels, keys))];
    expect(unplacedPods(plan({ pods, nodes }))).toEqual(unplaced);
  });
});
