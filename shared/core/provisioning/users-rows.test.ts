/** What users reported of Karpenter, by the number under which it was collected, as a statement of what happens here. */
import { describe, expect, test } from "vitest";
import type { PodDisruptionBudget } from "#api/core-v1/cluster-objects.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { maxRequirements } from "#api/karpenter-v1/requirement-validation.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { ClusterView } from "#core/snapshot.ts";
import {
  boundPod,
  daemonSet,
  instanceType,
  launched,
  node,
  nodePool,
  pendingPod,
  pendingPods,
  sizes,
  snapshotOf,
  stored,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import { boundClaim, onlyIn, using, volume } from "../../../test/support/volume-objects.ts";
import { planProvisioning } from "./plan.ts";

const plan = (cluster: Partial<ClusterView>, types: readonly InstanceType[] = sizes) =>
  planProvisioning(snapshotOf({ nodePools: [nodePool("default")], ...cluster }, types), testProvider);

/** The node of a claim that joined. */
function joined(claim: NodeClaim, type: InstanceType, initialized: boolean): Node {
  const labels = {
    ...claim.metadata.labels,
    "karpenter.sh/registered": "true",
    ...(initialized ? { "karpenter.sh/initialized": "true" } : {}),
  };
  const amounts = { cpu: `${type.allocatable.cpu ?? 0}m`, memory: String(type.allocatable.memory ?? 0), pods: "110" };
  return node(claim.metadata.name, amounts, { labels });
}

describe("row 1: pods that go pending together", () => {
  const eight = instanceType("eight", 8);
  const pods = pendingPods(10, "p", { cpu: "500m" });

  test("get one claim, and none more while it is created, registered, initialised", () => {
    const [first, ...others] = plan({ pods }, [eight]).claims;
    if (first === undefined) throw new Error("no claim");
    expect(others).toEqual([]);
    const claim = launched(first.nodeClaim, eight, "zone-a", "spot");
    const worlds: readonly Partial<ClusterView>[] = [
      { nodeClaims: [stored(first.nodeClaim)] },
      { nodeClaims: [claim] },
      { nodeClaims: [claim], nodes: [joined(claim, eight, false)] },
      { nodeClaims: [claim], nodes: [joined(claim, eight, true)] },
    ];
    for (const world of worlds) expect(plan({ pods, ...world }, [eight]).claims).toEqual([]);
  });
});

describe("row 7: DaemonSets that select registered or initialised nodes", () => {
  const daemonSets = ["registered", "initialized"].map((name) =>
    daemonSet(name, { cpu: "1" }, { nodeSelector: { [`karpenter.sh/${name}`]: "true" } }),
  );

  test("count in the claim's requests and in its choice of types", () => {
    const [claim] = plan({ pods: [pendingPod("p", { cpu: "1" })], daemonSets }).claims;
    expect(claim?.nodeClaim.spec.resources?.requests).toMatchObject({ cpu: "3", pods: "3" });
    expect(claim?.planned.instanceTypes[0]).toBe("size-4");
  });
});

describe("row 9: pods that must not wake a cluster alone", () => {
  const dns = ["one", "two"].map((name) => pendingPod(name, { cpu: "100m" }, {}, { namespace: "kube-system" }));
  const planOf = (pods: ClusterView["pods"]) =>
    planProvisioning(
      snapshotOf({ nodePools: [nodePool("default")], pods }, sizes, { ignoreWhenAloneNamespaces: ["kube-system"] }),
      testProvider,
    );

  test("get no node while they are the only demand, and share the one that another pod gets", () => {
    expect(planOf(dns).claims).toEqual([]);
    const { claims } = planOf([...dns, pendingPod("user", { cpu: "100m" })]);
    expect(claims.map(({ planned }) => planned.pods.length)).toEqual([3]);
  });
});

describe("row 16: affinity to a pod whose volume has a zone", () => {
  test("the volume's zone comes first, and the other pod follows", () => {
    const labels = { app: "p" };
    const near = { labelSelector: { matchLabels: labels }, topologyKey: "topology.kubernetes.io/zone" };
    const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [near] } };
    const pods = [
      pendingPod("p", { cpu: "1" }, using("data"), { labels }),
      pendingPod("q", { cpu: "2" }, { affinity }, { labels: { app: "q" } }),
    ];
    const free = node(
      "in-a",
      { cpu: "8", memory: "8Gi", pods: "9" },
      { labels: { "topology.kubernetes.io/zone": "zone-a" } },
    );
    const { claims, placements, unschedulable } = plan({
      pods,
      nodes: [free],
      persistentVolumes: [volume("pv", onlyIn("topology.kubernetes.io/zone", ["zone-b"]))],
      persistentVolumeClaims: [boundClaim("data", "pv")],
    });
    expect([placements, unschedulable]).toEqual([[], []]);
    expect(claims.map(({ planned }) => planned.pods.map(({ metadata }) => metadata.name).sort())).toEqual([["p", "q"]]);
    expect(claims[0]?.planned.requirements.get("topology.kubernetes.io/zone")?.values).toEqual(["zone-b"]);
  });
});

describe("row 19: operators that the installed CRD may not know", () => {
  const pool = nodePool("default", {
    requirements: [
      { key: "example.dev/cores", operator: "Gt", values: ["2"] },
      { key: "example.dev/cores", operator: "Lt", values: ["64"] },
      { key: "example.dev/cores", operator: "NotIn", values: ["8"] },
    ],
  });
  const types = [1, 4, 8, 16].map((cpu) =>
    instanceType(`t${cpu}`, cpu, {}, [{ key: "example.dev/cores", operator: "In", values: [String(cpu)] }]),
  );

  test("bounds are written back as Gt and Lt, with the exclusions", () => {
    const [claim] = plan({ pods: [pendingPod("p", { cpu: "1" })], nodePools: [pool] }, types).claims;
    expect(claim?.nodeClaim.spec.requirements.filter(({ key }) => key === "example.dev/cores")).toEqual([
      { key: "example.dev/cores", operator: "Gt", values: ["2"] },
      { key: "example.dev/cores", operator: "Lt", values: ["64"] },
      { key: "example.dev/cores", operator: "NotIn", values: ["8"] },
    ]);
    expect(claim?.planned.instanceTypes).toEqual(["t4", "t16"]);
  });
});

describe("row 21: many labels", () => {
  test.each([40, 120])("%d labels of a NodePool make one claim that the CRD takes", (count) => {
    const labels = Object.fromEntries(Array.from({ length: count }, (_, i) => [`team.example.com/label-${i}`, "x"]));
    const { claims } = plan({ pods: [pendingPod("p", { cpu: "1" })], nodePools: [nodePool("default", { labels })] });
    expect(claims).toHaveLength(1);
    expect(claims[0]?.nodeClaim.spec.requirements.length).toBeLessThanOrEqual(maxRequirements);
    expect(claims[0]?.nodeClaim.metadata.labels).toMatchObject(labels);
  });
});

describe("row 22: preferences between pods", () => {
  const selector = { matchLabels: { app: "soft" } };
  const softSpread = {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "ScheduleAnyway" as const,
        labelSelector: selector,
      },
    ],
  };
  const softZone = {
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          { weight: 1, podAffinityTerm: { labelSelector: selector, topologyKey: "topology.kubernetes.io/zone" } },
        ],
      },
    },
  };
  const labelled = (count: number, spec: object) =>
    pendingPods(count, "p", { cpu: "500m" }, spec).map((pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: selector.matchLabels },
    }));

  test.each<["Ignore" | "Respect", number]>([
    ["Ignore", 1],
    ["Respect", 10],
  ])("ten pods softly spread over hosts, %s: %d claims", (preferencePolicy, expected) => {
    const pods = labelled(10, softSpread);
    const types = [instanceType("eight", 8)];
    const snapshot = snapshotOf({ nodePools: [nodePool("default")], pods }, types, { preferencePolicy });
    expect(planProvisioning(snapshot, testProvider).claims).toHaveLength(expected);
  });

  test("no second claim for the sake of a wish when another pod took the promised place", () => {
    const two = instanceType("two", 2);
    const pods = labelled(9, softZone);
    const first = plan({ pods }, [two]).claims;
    expect(first).toHaveLength(3);
    const nodeClaims = first.map(({ nodeClaim }) => launched(nodeClaim, two, "zone-a", "spot"));
    const [early] = nodeClaims;
    if (early === undefined) throw new Error("no claim");
    // The first node that is ready takes pods that were expected on another one.
    const others = first[1]?.planned.pods ?? [];
    const taken = pods.map((pod) =>
      others.includes(pod)
        ? { ...pod, spec: { ...pod.spec, nodeName: early.metadata.name }, status: { phase: "Running" as const } }
        : pod,
    );
    const next = plan({ pods: taken, nodeClaims, nodes: [joined(early, two, true)] }, [two]);
    expect([next.claims, next.unschedulable]).toEqual([[], []]);
  });
});

describe("row 25: claims that never register", () => {
  test("count against the limit from their creation", () => {
    const pools = [nodePool("default", { limits: { cpu: "8" } })];
    const [p, q] = ["p", "q"].map((name) => pendingPod(name, { cpu: "7" }));
    const [first] = plan({ pods: p === undefined ? [] : [p], nodePools: pools }).claims;
    const nodeClaims = first === undefined ? [] : [stored(first.nodeClaim)];
    const pods = [p, q].filter((one) => one !== undefined);
    const { claims, unschedulable } = plan({ pods, nodePools: pools, nodeClaims });
    expect([nodeClaims.length, claims.length]).toEqual([1, 0]);
    expect(unschedulable.flatMap((one) => one.pods).map(({ metadata }) => metadata.name)).toEqual(["q"]);
    expect(unschedulable[0]?.message).toMatch(/its limit is reached: cpu \(0 of 8 left/);
  });
});

describe("row 26: limits of nothing, or less", () => {
  test.each<[Readonly<Record<string, string>>, number]>([
    [{ cpu: "-1" }, 0],
    [{ cpu: "0" }, 0],
    [{ nodes: "0" }, 0],
    [{ cpu: "1e3" }, 3],
    [{ "example.com/unknown": "0" }, 3],
  ])("%j: %d claims, and at most one word about the pool", (limits, expected) => {
    const pods = pendingPods(3, "p", { cpu: "30" });
    const { claims, reasons } = plan({ pods, nodePools: [nodePool("default", { limits })] }, [instanceType("t", 32)]);
    expect(claims).toHaveLength(expected);
    expect(reasons).toHaveLength(expected === 0 ? 1 : 0);
  });
});

describe("row 32: a node that goes, with a pod that its budget holds", () => {
  const meta = { deletionTimestamp: "2026-01-01T11:00:00Z", finalizers: ["karpenter.sh/termination"] };
  const going = node("going", { cpu: "4", memory: "8Gi", pods: "10" }, { meta });
  const held = boundPod("held", "going", { cpu: "2" }, {}, { labels: { app: "held" } });
  const budget = (spec: PodDisruptionBudget["spec"]): PodDisruptionBudget => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "default" },
    spec: { selector: { matchLabels: { app: "held" } }, ...spec },
    status: { disruptionsAllowed: 0 },
  });

  test.each<[PodDisruptionBudget["spec"], number]>([
    [{ maxUnavailable: 0 }, 0],
    [{ minAvailable: 1 }, 1],
  ])("%j: ten ticks make %d replacements in total", (spec, expected) => {
    let world: Partial<ClusterView> = { nodes: [going], pods: [held], podDisruptionBudgets: [budget(spec)] };
    let made = 0;
    for (let tick = 0; tick < 10; tick++) {
      const { claims } = plan(world);
      made += claims.length;
      const types = new Map(sizes.map((type) => [type.name, type]));
      const come = claims.flatMap(({ nodeClaim, planned }) => {
        const type = types.get(planned.cheapest.instanceType);
        return type === undefined ? [] : [{ type, claim: launched(nodeClaim, type, "zone-a", "spot") }];
      });
      world = {
        ...world,
        nodeClaims: [...(world.nodeClaims ?? []), ...come.map(({ claim }) => claim)],
        nodes: [...(world.nodes ?? []), ...come.map(({ claim, type }) => joined(claim, type, true))],
      };
    }
    expect(made).toBe(expected);
  });
});

describe("row 73: from zero nodes", () => {
  const pool = nodePool("default", {
    labels: { team: "a" },
    taints: [{ key: "dedicated", value: "a", effect: "NoSchedule" }],
  });
  const wants = { nodeSelector: { team: "a" } };

  test("labels and taints come from the NodePool", () => {
    const tolerations = [{ key: "dedicated", operator: "Exists" as const }];
    expect(plan({ nodePools: [pool], pods: [pendingPod("p", {}, { ...wants, tolerations })] }).claims).toHaveLength(1);
    const { claims, unschedulable } = plan({ nodePools: [pool], pods: [pendingPod("p", {}, wants)] });
    expect(claims).toEqual([]);
    expect(unschedulable[0]?.message).toMatch(/does not tolerate its taint dedicated=a:NoSchedule/);
  });
});

describe("resources beyond CPU and memory", () => {
  const gpu = "example.com/gpu";
  const withGpus = (name: string, cpu: number, gpus: number): InstanceType => {
    const plain = instanceType(name, cpu);
    return {
      ...plain,
      capacity: { ...plain.capacity, [gpu]: gpus },
      allocatable: { ...plain.allocatable, [gpu]: gpus },
    };
  };
  const types = [instanceType("plain", 8), withGpus("one", 8, 1), withGpus("four", 32, 4)];
  const asking = (name: string, count: number) =>
    pendingPod(name, {}, { containers: [{ name: "c", resources: { requests: { cpu: "1", [gpu]: String(count) } } }] });

  test("decide on types, on existing nodes and against limits", () => {
    expect(plan({ pods: [asking("p", 2)] }, types).claims.map(({ planned }) => planned.instanceTypes)).toEqual([
      ["four"],
    ]);
    const nodes = [node("n", { cpu: "8", memory: "16Gi", pods: "10", [gpu]: "1" })];
    expect(plan({ pods: [asking("p", 1)], nodes }, types).placements).toHaveLength(1);
    expect(plan({ pods: [asking("p", 2)], nodes }, types).placements).toEqual([]);
    const limited = [nodePool("default", { limits: { [gpu]: "3" } })];
    const { claims, unschedulable } = plan({ pods: [asking("p", 2)], nodePools: limited }, types);
    expect(claims).toEqual([]);
    expect(unschedulable[0]?.message).toMatch(/example.com\/gpu \(3 of 3 left, the smallest fitting type takes 4\)/);
  });

  test("overhead, sidecars and pod-level resources count on claims and on nodes alike", () => {
    const spec = {
      overhead: { cpu: "1" },
      initContainers: [{ name: "side", restartPolicy: "Always", resources: { requests: { cpu: "2" } } }],
    };
    const pod = pendingPod("p", { cpu: "4" }, spec);
    expect(plan({ pods: [pod] }).claims[0]?.nodeClaim.spec.resources?.requests).toMatchObject({ cpu: "7" });
    const fits = (cpu: string, one = pod) =>
      plan({ pods: [one], nodes: [node("n", { cpu, memory: "8Gi", pods: "9" })] }).placements.length;
    expect([fits("7"), fits("6900m")]).toEqual([1, 0]);
    const podLevel = pendingPod("q", { cpu: "1" }, { resources: { requests: { cpu: "5" } } });
    expect([fits("5", podLevel), fits("4900m", podLevel)]).toEqual([1, 0]);
  });
});
