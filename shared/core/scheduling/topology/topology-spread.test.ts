import { describe, expect, test } from "vitest";
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { ClusterView } from "#core/snapshot.ts";
import {
  capacityTypeKey,
  hostKey,
  messageOf,
  nodeIn,
  podsBy,
  podsOfClaims,
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
  sizes,
  snapshotOf,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const plan = (cluster: Partial<ClusterView>, types: readonly InstanceType[] = sizes): Plan =>
  planProvisioning(snapshotOf({ nodePools: [nodePool("default")], ...cluster }, types), testProvider);
const webPods = (count: number, spec: Partial<PodSpec>, labels: Readonly<Record<string, string>> = web.labels): Pod[] =>
  Array.from({ length: count }, (_, i) => pendingPod(`web-${i}`, { cpu: "1" }, spec, { labels }));

describe("topology spread over new nodes", () => {
  test.each<[string, number, Partial<Parameters<typeof spread>[1]>, string, readonly number[]]>([
    ["zones get as many pods each", 6, {}, zoneKey, [2, 2, 2]],
    ["the skew is as large as allowed", 7, {}, zoneKey, [2, 2, 3]],
    ["capacity types are domains too", 4, {}, capacityTypeKey, [2, 2]],
    ["minDomains above what there is keeps the fewest at 0", 6, { minDomains: 4 }, zoneKey, [1, 1, 1]],
    ["minDomains that is met changes nothing (users' row 14)", 5, { minDomains: 2 }, zoneKey, [1, 2, 2]],
  ])("%s", (_, count, more, key, expected) => {
    const result = plan({ pods: webPods(count, spreading(spread(key, more))) });
    expect(Object.values(podsBy(result, key)).sort((a, b) => a - b)).toEqual(expected);
    expect(unplacedPods(result)).toHaveLength(count - expected.reduce((sum, n) => sum + n, 0));
  });

  test("hosts take maxSkew pods each, since a new host may always come", () => {
    const result = plan({ pods: webPods(5, spreading(spread(hostKey, { maxSkew: 2 }))) });
    expect(podsOfClaims(result).map(({ length }) => length)).toEqual([2, 2, 1]);
  });

  test("a label that only the NodePool gives is a key like any other", () => {
    const pool = nodePool("default", { requirements: [{ key: "team", operator: "In", values: ["a", "b"] }] });
    expect(podsBy(plan({ pods: webPods(4, spreading(spread("team"))), nodePools: [pool] }), "team")).toEqual({
      a: 2,
      b: 2,
    });
  });

  test("nobody has the key: no place, and the reason says so", () => {
    const result = plan({ pods: webPods(1, spreading(spread("rack"))) });
    expect(messageOf(result)).toContain("none of the domains");
  });

  test("several spreads hold together", () => {
    const result = plan({ pods: webPods(6, spreading(spread(zoneKey), spread(capacityTypeKey))) });
    expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 2, "zone-b": 2, "zone-c": 2 });
    expect(podsBy(result, capacityTypeKey)).toEqual({ "on-demand": 3, spot: 3 });
  });

  test("pods that the selector does not mean do not count, and go anywhere within the skew", () => {
    const others = webPods(4, spreading(spread(zoneKey, {}, "other")));
    expect(unplacedPods(plan({ pods: others }))).toEqual([]);
  });
});

describe("domains of a spread", () => {
  test("come only from NodePools that the pod can use (users' row 11)", () => {
    const tainted = { taints: [{ key: "own", effect: "NoSchedule" as const }] };
    const pools = [
      nodePool("a", { ...tainted, requirements: [{ key: "cell", operator: "In", values: ["1"] }] }),
      nodePool("b", { requirements: [{ key: "cell", operator: "In", values: ["2", "3", "4"] }] }),
    ];
    const spec: Partial<PodSpec> = {
      ...spreading(spread("cell", { nodeAffinityPolicy: "Honor", nodeTaintsPolicy: "Honor" })),
      nodeSelector: { "karpenter.sh/nodepool": "a" },
      tolerations: [{ key: "own", operator: "Exists" }],
    };
    const result = plan({ pods: webPods(3, spec), nodePools: pools });
    expect(podsBy(result, "cell")).toEqual({ "1": 3 });
  });

  test("need an available offering (slip 2)", () => {
    const offerings = sizes.map((type) => ({
      ...type,
      offerings: type.offerings.map((one) => ({ ...one, available: one.zone !== "zone-c" })),
    }));
    const pool = nodePool("default", {
      requirements: [{ key: zoneKey, operator: "In", values: ["zone-a", "zone-b", "zone-c", "zone-x"] }],
    });
    const result = plan({ pods: webPods(4, spreading(spread(zoneKey))), nodePools: [pool] }, offerings);
    expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 2, "zone-b": 2 });
  });

  test("are those that the pod's node affinity allows, unless the policy is Ignore", () => {
    const nodes = [nodeIn("zone-a", "n-a"), nodeIn("zone-b", "n-b")];
    const selecting = { nodeSelector: { [zoneKey]: "zone-a" } };
    const pods = (policy: "Honor" | "Ignore") =>
      webPods(3, { ...spreading(spread(zoneKey, { nodeAffinityPolicy: policy })), ...selecting });
    expect(unplacedPods(plan({ pods: pods("Honor"), nodes }))).toEqual([]);
    expect(unplacedPods(plan({ pods: pods("Ignore"), nodes }))).toEqual(["web-1", "web-2"]);
  });

  test("do not include those to which another's claim may come, when the pod could not use it there", () => {
    const pools = [nodePool("default"), nodePool("own", { taints: [{ key: "own", effect: "NoSchedule" }] })];
    const own = {
      tolerations: [{ key: "own", operator: "Exists" as const }],
      nodeSelector: { "karpenter.sh/nodepool": "own" },
    };
    const pods = webPods(3, { ...spreading(spread(zoneKey)), nodeSelector: { [zoneKey]: "zone-a" } });
    const result = plan({ pods: [pendingPod("another", { cpu: "2" }, own), ...pods], nodePools: pools });
    expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 3, open: 1 });
  });

  test("with nodeTaintsPolicy Honor exclude nodes that the pod does not tolerate", () => {
    const own = { spec: { providerID: "x", taints: [{ key: "own", effect: "NoSchedule" as const }] } };
    const nodes = [node("n-x", { cpu: "4", pods: "9" }, { labels: { [zoneKey]: "zone-x" }, ...own })];
    const pods = (policy: "Honor" | "Ignore") => webPods(6, spreading(spread(zoneKey, { nodeTaintsPolicy: policy })));
    expect(unplacedPods(plan({ pods: pods("Honor"), nodes }))).toEqual([]);
    expect(unplacedPods(plan({ pods: pods("Ignore"), nodes }))).toHaveLength(3);
  });

  test("include one that a NodePool of others brings in the same batch", () => {
    const far = {
      requirements: [{ key: "cell", operator: "In" as const, values: ["far"] }],
      taints: [{ key: "far", effect: "NoSchedule" as const }],
    };
    const pools = [
      nodePool("near", { requirements: [{ key: "cell", operator: "In", values: ["1", "2"] }] }),
      nodePool("far", far),
    ];
    const other = pendingPod(
      "z",
      { cpu: "100m" },
      { tolerations: [{ key: "far", operator: "Exists" }], nodeSelector: { cell: "far" } },
    );
    const pods = [...webPods(6, spreading(spread("cell"))), other];
    // The far node will be there with no such pod: kube-scheduler lets one more into each other cell, not more.
    expect(unplacedPods(plan({ pods, nodePools: pools }))).toHaveLength(4);
  });
});

describe("pods that count for a spread", () => {
  const running = (count: number, nodeName: string, labels: Readonly<Record<string, string>> = web.labels): Pod[] =>
    Array.from({ length: count }, (_, i) => boundPod(`${nodeName}-${i}`, nodeName, { cpu: "100m" }, {}, { labels }));

  test("run already, or come in the same batch", () => {
    const nodes = [nodeIn("zone-a", "n-a", "300m"), nodeIn("zone-b", "n-b", "200m")];
    const pods = [...running(3, "n-a"), ...running(2, "n-b"), ...webPods(4, spreading(spread(zoneKey)))];
    expect(podsBy(plan({ pods, nodes }), zoneKey)).toEqual({ "zone-b": 1, "zone-c": 3 });
  });

  test("have the same value of each matchLabelKeys (users' row 14)", () => {
    const nodes = [nodeIn("zone-a", "n-a", "300m"), nodeIn("zone-b", "n-b", "300m")];
    const old = { app: "web", revision: "1" };
    const spec = spreading(spread(zoneKey, { matchLabelKeys: ["revision"], minDomains: 2 }));
    const pods = [...running(3, "n-a", old), ...running(3, "n-b", old), ...webPods(3, spec, { ...old, revision: "2" })];
    expect(podsBy(plan({ pods, nodes }), zoneKey)).toEqual({ "zone-a": 1, "zone-b": 1, "zone-c": 1 });
  });

  test("are in the pod's own namespace", () => {
    const nodes = [nodeIn("zone-a", "n-a", "300m")];
    const elsewhere = running(3, "n-a").map((pod) => ({ ...pod, metadata: { ...pod.metadata, namespace: "other" } }));
    const pods = [...elsewhere, ...webPods(3, spreading(spread(zoneKey)))];
    expect(podsBy(plan({ pods, nodes }), zoneKey)).toEqual({ "zone-a": 1, "zone-b": 1, "zone-c": 1 });
  });

  test("do not include pods on their way out or over", () => {
    const nodes = [nodeIn("zone-a", "n-a", "300m")];
    const [first, second] = running(2, "n-a");
    const gone = [
      { ...first, metadata: { ...first?.metadata, name: "going", deletionTimestamp: "2026-01-01T11:59:59Z" } },
      { ...second, status: { phase: "Succeeded" as const } },
    ] as Pod[];
    const pods = [...gone, ...webPods(3, spreading(spread(zoneKey)))];
    expect(podsBy(plan({ pods, nodes }), zoneKey)).toEqual({ "zone-a": 1, "zone-b": 1, "zone-c": 1 });
  });

  test("count once, however far the pod was relaxed (slip 5)", () => {
    const soft = { taints: [{ key: "soft", effect: "PreferNoSchedule" as const }] };
    const pods = webPods(6, spreading(spread(zoneKey)));
    const result = plan({ pods, nodePools: [nodePool("default", soft)] });
    expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 2, "zone-b": 2, "zone-c": 2 });
  });

  test("are counted apart for pods that may use other nodes (slip 9)", () => {
    const only = (zone: string, name: string) =>
      pendingPod(name, { cpu: "1" }, { ...spreading(spread(zoneKey)), nodeSelector: { [zoneKey]: zone } }, web);
    const pods = [only("zone-a", "p"), only("zone-a", "q"), only("zone-b", "r"), only("zone-b", "s")];
    expect(unplacedPods(plan({ pods }))).toEqual([]);
  });
});

describe("spread over nodes that are there", () => {
  test("a node without the key takes none of the pods", () => {
    const nodes = [node("bare", { cpu: "8", pods: "20" }), nodeIn("zone-a", "n-a")];
    expect(podsOnNodes(plan({ pods: webPods(1, spreading(spread(zoneKey))), nodes }))).toEqual({ "n-a": ["web-0"] });
  });

  test("where no claim can be made the emptiest host may have pods already (slip 14)", () => {
    const nodes = ["n-1", "n-2"].map((name) => nodeIn("zone-a", name));
    const bound = nodes.map(({ metadata }) => boundPod(`on-${metadata.name}`, metadata.name, { cpu: "1" }, {}, web));
    const pods = [...bound, ...webPods(1, spreading(spread(hostKey)))];
    expect(podsOnNodes(plan({ pods, nodes, nodePools: [] }))).toEqual({ "n-1": ["web-0"] });
  });
});

describe("a pod that a spread leaves without a place", () => {
  test("hears the counts and which domains are left", () => {
    const nodes = [nodeIn("zone-a", "n-a", "100m"), nodeIn("zone-x", "n-x", "100m")];
    const pods = [boundPod("r", "n-a", { cpu: "100m" }, {}, web), ...webPods(1, spreading(spread(zoneKey)))];
    const pool = nodePool("default", { requirements: [{ key: zoneKey, operator: "In", values: ["zone-a"] }] });
    const message = messageOf(plan({ pods, nodes, nodePools: [pool] }));
    expect(message).toContain(
      "its topology spread over topology.kubernetes.io/zone allows a skew of 1 between pods with app=web (zone-a: 1, zone-x: 0, fewest 0), which leaves zone-x",
    );
    expect(message).toContain("NodePool default: it could make a node in none of the domains");
  });

  test("hears that one zone has no room in the NodePool's types", () => {
    const small = instanceType("small", 2, {
      offerings: ["zone-a", "zone-b"].map((zone) => ({ zone, capacityType: "spot", pricePerHour: 1, available: true })),
    });
    const message = messageOf(
      plan({ pods: [pendingPod("web-0", { cpu: "9" }, spreading(spread(zoneKey)), web)] }, [small]),
    );
    expect(message).toContain("cpu 9 is wanted");
  });
});
