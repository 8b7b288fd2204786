import { describe, expect, test } from "vitest";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { eagerPool, type NodeSketch, nodesWithPods } from "../../../test/support/disruption-objects.ts";
import {
  boundPod,
  instanceType,
  nodeClass,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import type { InstanceType, Offering } from "../instance-type.ts";
import type { Settings } from "../settings.ts";
import { defaultSettings } from "../settings.ts";
import type { ClusterView } from "../snapshot.ts";
import { poolBudgets } from "./budget.ts";
import { candidates } from "./candidate.ts";
import { Consolidation } from "./consolidation.ts";
import { bestTogether } from "./multi-node-consolidation.ts";
import { bestSingle } from "./single-node-consolidation.ts";

type Sketches = Readonly<Record<string, NodeSketch>>;

interface World extends Partial<Omit<ClusterView, "nodes" | "nodeClaims">> {
  readonly sketches: Sketches;
  readonly types: readonly InstanceType[];
  readonly resting?: readonly string[];
  readonly settings?: Partial<Settings>;
}

function consolidationOf({ sketches, types, resting = [], settings = {}, ...cluster }: World) {
  const made = nodesWithPods(sketches);
  const all = { ...made, pods: [...made.pods, ...(cluster.pods ?? [])] };
  const snapshot = snapshotOf({ nodePools: [eagerPool()], ...cluster, ...all }, types, settings);
  const found = candidates(snapshot, testProvider, "graceful").candidates;
  const budgets = poolBudgets(snapshot.cluster, nodeClass, "Underutilized", snapshot.nowMs);
  return new Consolidation({
    snapshot,
    provider: testProvider,
    candidates: found,
    budgets,
    resting: new Set(resting),
  });
}

const namesOf = (list: readonly { readonly node: { readonly metadata: { readonly name: string } } }[] = []) =>
  list.map(({ node }) => node.metadata.name).sort();

function single(world: World) {
  const { move, reasons } = bestSingle(consolidationOf(world));
  return {
    goes: namesOf(move?.candidates),
    comes: move?.replacements ?? [],
    why: (name: string) => reasons.find(({ about }) => about.kind === "Node" && about.name === name)?.message ?? "",
  };
}

function multi(world: World) {
  const { move } = bestTogether(consolidationOf(world));
  return { goes: namesOf(move?.candidates), comes: move?.replacements ?? [], saved: move?.saved ?? 0 };
}

const onlyOnDemand = (name: string, cpu: number, pricePerHour: number, more: Partial<Offering> = {}) =>
  instanceType(name, cpu, {
    offerings: [{ zone: "zone-a", capacityType: "on-demand", pricePerHour, available: true, ...more }],
  });
const spotOnly = (name: string, cpu: number, pricePerHour: number) =>
  onlyOnDemand(name, cpu, pricePerHour, { capacityType: "spot" });

const small = onlyOnDemand("small", 2, 0.1);
const large = onlyOnDemand("large", 8, 0.4);
const staying = (name: string, nodeName: string, cpu: string) =>
  boundPod(name, nodeName, { cpu }, { nodeSelector: { "kubernetes.io/hostname": nodeName } });
const spotToSpot = { featureGates: { ...defaultSettings.featureGates, spotToSpotConsolidation: true } };

describe("one node", () => {
  test("is deleted when its pods have room elsewhere, and the one that saves most goes", () => {
    const sketches: Sketches = {
      a: { type: small, pods: ["500m"] },
      b: { type: large, pods: ["500m"] },
      c: { type: large, pods: ["2"] },
    };
    expect(single({ sketches, types: [small, large] })).toMatchObject({ goes: ["b"], comes: [] });
  });

  test("is replaced by a cheaper node that its pods fit on", () => {
    const { goes, comes } = single({ sketches: { a: { type: large, pods: ["1"] } }, types: [small, large] });
    expect(goes).toEqual(["a"]);
    expect(comes.map(({ instanceTypes }) => instanceTypes)).toEqual([["small"]]);
  });

  test("row 28: is kept when the cheapest that fits is its own type, with the prices as the reason", () => {
    const { goes, why } = single({ sketches: { a: { type: small, pods: ["1500m"] } }, types: [small, large] });
    expect(goes).toEqual([]);
    expect(why("a")).toContain("it costs $0.1000 an hour, and the cheapest that has room (small) starts at $0.1000");
  });

  test("row 28: is not replaced by its own type in a cheaper zone", () => {
    const spot = (zone: string, pricePerHour: number) =>
      ({ zone, capacityType: "spot", pricePerHour, available: true }) as const;
    const type = instanceType("only", 2, { offerings: [spot("zone-a", 0.05), spot("zone-b", 0.01)] });
    const zoned = boundPod("zoned", "a", { cpu: "1" }, { nodeSelector: { "topology.kubernetes.io/zone": "zone-b" } });
    const others = Array.from({ length: 15 }, (_, i) => spotOnly(`other-${i}`, 2, 0.02));
    const sketches: Sketches = { a: { type, capacityType: "spot", pods: [zoned] } };
    expect(single({ sketches, types: [type, ...others], settings: spotToSpot }).goes).toEqual([]);
  });

  test("row 29: is not replaced by a cheaper type that is sold out", () => {
    const soldOut = onlyOnDemand("small", 2, 0.1, { available: false });
    const { goes, why } = single({ sketches: { a: { type: large, pods: ["1"] } }, types: [soldOut, large] });
    expect(goes).toEqual([]);
    expect(why("a")).toContain("(large) starts at $0.4000");
  });

  test("row 29: of a pool whose last replacement came to nothing it is deleted only", () => {
    const world = { types: [small, large], resting: ["default"] };
    const alone = single({ ...world, sketches: { a: { type: large, pods: ["1"] } } });
    expect(alone.goes).toEqual([]);
    expect(alone.why("a")).toContain("NodePool default rests");
    const sketches: Sketches = { a: { type: large, pods: ["1"] }, b: { type: large, pods: ["6"] } };
    expect(single({ ...world, sketches })).toMatchObject({ goes: ["a"], comes: [] });
  });

  test("is not turned into several", () => {
    const apart = (name: string) =>
      boundPod(
        name,
        "a",
        { cpu: "1" },
        {
          affinity: {
            podAntiAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: [
                { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "apart" } } },
              ],
            },
          },
        },
        { labels: { app: "apart" } },
      );
    const { goes, why } = single({
      sketches: { a: { type: large, pods: [apart("one"), apart("two")] } },
      types: [small, large],
    });
    expect(goes).toEqual([]);
    expect(why("a")).toContain("its pods would need 2 new nodes");
  });

  test("whose price is not known is deleted, never replaced", () => {
    const unknown = onlyOnDemand("odd", 8, 0.4, { zone: "zone-c" });
    expect(single({ sketches: { a: { type: unknown, pods: ["1"] } }, types: [unknown, small] }).goes).toEqual([]);
    const sketches: Sketches = { a: { type: unknown, pods: ["1"] }, b: { type: small, pods: ["500m"] } };
    expect(single({ sketches, types: [unknown, small] }).goes).not.toEqual([]);
  });
});

describe("what may come", () => {
  const both = (name: string, cpu: number, onDemand: number, spot: number) =>
    instanceType(name, cpu, {
      offerings: [
        { zone: "zone-a", capacityType: "on-demand", pricePerHour: onDemand, available: true },
        { zone: "zone-a", capacityType: "spot", pricePerHour: spot, available: true },
      ],
    });

  test("from on demand to spot: the claim is pinned to spot, so that it cannot fall back to a dearer one", () => {
    const type = both("mixed", 8, 0.4, 0.15);
    const { goes, comes } = single({ sketches: { a: { type, pods: ["7"] } }, types: [type] });
    expect(goes).toEqual(["a"]);
    expect(comes[0]?.capacityTypes).toEqual(["spot"]);
  });

  test("pinned to on demand, where that is the cheaper way, a type is left out that is cheap as spot only", () => {
    const types = [both("cheap", 2, 0.05, 0.06), both("trap", 2, 0.9, 0.07), large];
    const { goes, comes } = single({ sketches: { a: { type: large, pods: ["1"] } }, types });
    expect(goes).toEqual(["a"]);
    expect(comes[0]?.capacityTypes).toEqual(["on-demand"]);
    expect(comes[0]?.instanceTypes).toEqual(["cheap"]);
  });

  test("types count at what they cost at worst: spot, in its dearest zone, before on demand", () => {
    const dear = instanceType("dear", 2, {
      offerings: [
        { zone: "zone-a", capacityType: "spot", pricePerHour: 0.05, available: true },
        { zone: "zone-b", capacityType: "spot", pricePerHour: 0.5, available: true },
      ],
    });
    expect(single({ sketches: { a: { type: large, pods: ["1"] } }, types: [dear, large] }).goes).toEqual([]);
  });

  test("reserved capacity comes before spot and on demand, and the claim is pinned to it", () => {
    const held = instanceType("held", 8, {
      offerings: [
        { zone: "zone-a", capacityType: "on-demand", pricePerHour: 0.4, available: true },
        {
          zone: "zone-a",
          capacityType: "reserved",
          pricePerHour: 0.0001,
          available: true,
          reservationId: "r-1",
          reservationCapacity: 1,
          requirements: [{ key: "example.dev/reservation", operator: "In", values: ["r-1"] }],
        },
      ],
    });
    const made = nodesWithPods({ a: { type: held, pods: ["7"] } });
    const snapshot = snapshotOf({ nodePools: [eagerPool()], ...made }, [held]);
    const provider = { ...testProvider, reservationIdLabel: "example.dev/reservation" };
    const found = candidates(snapshot, provider, "graceful").candidates;
    const budgets = poolBudgets(snapshot.cluster, nodeClass, "Underutilized", snapshot.nowMs);
    const consolidation = new Consolidation({ snapshot, provider, candidates: found, budgets, resting: new Set() });
    const { move } = bestSingle(consolidation);
    expect(move?.replacements[0]?.capacityTypes).toEqual(["reserved"]);
  });

  test("minValues must hold for what is left", () => {
    const pool = eagerPool();
    const asking: NodePool = {
      ...pool,
      spec: {
        ...pool.spec,
        template: {
          ...pool.spec.template,
          spec: {
            ...pool.spec.template.spec,
            requirements: [{ key: "node.kubernetes.io/instance-type", operator: "Exists", minValues: 2 }],
          },
        },
      },
    };
    const { goes, why } = single({
      sketches: { a: { type: large, pods: ["1"] } },
      types: [small, large],
      nodePools: [asking],
    });
    expect(goes).toEqual([]);
    expect(why("a")).toContain("minValues asks for 2");
  });
});

describe("spot for spot", () => {
  const cheaper = (count: number) =>
    Array.from({ length: count }, (_, i) => spotOnly(`cheap-${String(i).padStart(2, "0")}`, 2, 0.01 + i / 1000));
  const spotNode: Sketches = {
    a: { type: spotOnly("big", 8, 0.1), capacityType: "spot", pods: ["1"] },
  };

  test("row 31: a spot node is not replaced by a spot node while the gate is off, in words", () => {
    const { goes, why } = single({ sketches: spotNode, types: [spotOnly("big", 8, 0.1), ...cheaper(20)] });
    expect(goes).toEqual([]);
    expect(why("a")).toContain("SpotToSpotConsolidation is off");
  });

  test("row 31: with six cheaper types it says that it needs 15 and has 6", () => {
    const types = [spotOnly("big", 8, 0.1), ...cheaper(6)];
    const { goes, why } = single({ sketches: spotNode, types, settings: spotToSpot });
    expect(goes).toEqual([]);
    expect(why("a")).toContain("needs 15, has 6");
  });

  test("row 31: with 15 or more the cheapest 15 remain", () => {
    const types = [spotOnly("big", 8, 0.1), ...cheaper(20)];
    const { comes } = single({ sketches: spotNode, types, settings: spotToSpot });
    expect(comes[0]?.instanceTypes).toHaveLength(15);
    expect(comes[0]?.instanceTypes[0]).toBe("cheap-00");
  });

  test("row 31: a spot node whose pods have room elsewhere is deleted all the same", () => {
    const big = spotOnly("big", 8, 0.1);
    const sketches: Sketches = {
      a: { type: big, capacityType: "spot", pods: ["1"] },
      b: { type: big, capacityType: "spot", pods: ["6"] },
    };
    expect(single({ sketches, types: [big] })).toMatchObject({ goes: ["a"], comes: [] });
  });
});

describe("several nodes", () => {
  test("go together when one cheaper node can take all their pods", () => {
    const sketches: Sketches = {
      a: { type: large, pods: ["500m"] },
      b: { type: large, pods: ["500m"] },
      c: { type: large, pods: ["500m"] },
    };
    const { goes, comes } = multi({ sketches, types: [small, large] });
    expect(goes).toEqual(["a", "b", "c"]);
    expect(comes[0]?.instanceTypes).toEqual(["small"]);
  });

  test("are not replaced by one of them: then that one stays", () => {
    const sketches: Sketches = { a: { type: large, pods: ["500m"] }, b: { type: small, pods: ["500m"] } };
    expect(multi({ sketches, types: [small, large] }).goes).toEqual([]);
    expect(single({ sketches, types: [small, large] })).toMatchObject({ goes: ["a"], comes: [] });
  });

  test("better than Karpenter: a node that cannot go does not keep those after it in the list", () => {
    const sketches: Sketches = {
      a: { type: onlyOnDemand("dear", 8, 9), pods: [staying("stuck", "a", "1")] },
      b: { type: large, pods: ["500m"] },
      c: { type: large, pods: ["500m"] },
      d: { type: large, pods: ["500m"] },
    };
    const { goes, comes } = multi({ sketches, types: [large, onlyOnDemand("dear", 8, 9)] });
    expect(goes).toEqual(["b", "c", "d"]);
    expect(comes).toEqual([]);
  });

  test("row 36: no more go at a time than the budget says", () => {
    const sketches = Object.fromEntries(
      Array.from({ length: 20 }, (_, i): [string, NodeSketch] => [`n${i + 10}`, { type: large, pods: ["100m"] }]),
    );
    const nodePools = [eagerPool("default", { budgets: [{ nodes: "10%" }] })];
    expect(multi({ sketches, types: [large], nodePools }).goes).toHaveLength(2);
    const one = [eagerPool("default", { budgets: [{ nodes: "1" }] })];
    expect(multi({ sketches, types: [large], nodePools: one }).goes).toEqual([]);
    expect(single({ sketches, types: [large], nodePools: one }).goes).toHaveLength(1);
    const none = [eagerPool("default", { budgets: [{ nodes: "0" }] })];
    expect(single({ sketches, types: [large], nodePools: none }).goes).toEqual([]);
  });
});

describe("soft rules", () => {
  const hostSpread = {
    topologySpreadConstraints: [
      {
        topologyKey: "kubernetes.io/hostname",
        maxSkew: 1,
        whenUnsatisfiable: "ScheduleAnyway" as const,
        labelSelector: { matchLabels: { app: "web" } },
      },
    ],
  };
  const apartIfPossible = {
    affinity: {
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 100,
            podAffinityTerm: {
              topologyKey: "kubernetes.io/hostname",
              labelSelector: { matchLabels: { app: "dns" } },
            },
          },
        ],
      },
    },
  };

  test("row 22: pods that a soft spread has put on a node each are left there", () => {
    const sketches = Object.fromEntries(
      Array.from({ length: 10 }, (_, i): [string, NodeSketch] => {
        const pod = boundPod(`web-${i}`, `n${i}`, { cpu: "100m" }, hostSpread, { labels: { app: "web" } });
        return [`n${i}`, { type: small, pods: [pod] }];
      }),
    );
    expect(single({ sketches, types: [small] }).goes).toEqual([]);
    expect(multi({ sketches, types: [small] }).goes).toEqual([]);
    const ignoring = { settings: { preferencePolicy: "Ignore" as const } };
    expect(multi({ sketches, types: [small], ...ignoring }).goes.length).toBeGreaterThan(1);
  });

  test("row 23: a wish that is not met anyway does not keep a node", () => {
    const dns = Array.from({ length: 9 }, (_, i) =>
      boundPod(`dns-${i}`, "a", { cpu: "100m" }, apartIfPossible, { labels: { app: "dns" } }),
    );
    const sketches: Sketches = {
      a: { type: large, pods: dns },
      b: { type: large, pods: [staying("fixed", "b", "6")] },
    };
    expect(single({ sketches, types: [large] })).toMatchObject({ goes: ["a"], comes: [] });
  });
});

describe("which nodes are asked", () => {
  const alone: Sketches = { a: { type: large, pods: ["1"] }, b: { type: large, pods: ["1"] } };
  const withPolicy = (disruption: Partial<NodePool["spec"]["disruption"]>) => ({
    sketches: alone,
    types: [large],
    nodePools: [eagerPool("default", disruption)],
  });

  test("none of a pool that consolidates empty nodes only, nor one with consolidateAfter Never", () => {
    for (const disruption of [{ consolidationPolicy: "WhenEmpty" as const }, { consolidateAfter: "Never" }]) {
      const consolidation = consolidationOf(withPolicy(disruption));
      expect(consolidation.candidates).toEqual([]);
      expect(consolidation.reasons.map(({ message }) => message)[0]).toMatch(/WhenEmpty|Never/);
    }
  });

  test("none that is not consolidatable yet, and no empty one", () => {
    const sketches: Sketches = {
      a: { type: large, pods: ["1"], conditions: ["Launched", "Registered", "Initialized"] },
      b: { type: large },
      c: { type: large, pods: ["1"] },
    };
    expect(namesOf(consolidationOf({ sketches, types: [large] }).candidates)).toEqual(["c"]);
  });

  test("Balanced keeps a node whose going would disturb more than it saves, with the shares", () => {
    const cheap = onlyOnDemand("cheap", 8, 0.02);
    const busy = Array.from({ length: 30 }, () => "10m");
    const sketches: Sketches = { a: { type: cheap, pods: busy }, b: { type: large, pods: ["1"] } };
    const policy = (consolidationPolicy: "Balanced" | "WhenEmptyOrUnderutilized") =>
      single({
        sketches,
        types: [cheap, large],
        nodePools: [eagerPool("default", { consolidationPolicy, budgets: [{ nodes: "1" }] })],
      });
    // b goes by either policy: much saved, little disturbed.
    expect(policy("Balanced").goes).toEqual(["b"]);
    const without: Sketches = { ...sketches, b: { type: large, pods: [staying("fixed", "b", "7")] } };
    const kept = single({
      sketches: without,
      types: [cheap, large],
      nodePools: [eagerPool("default", { consolidationPolicy: "Balanced" })],
    });
    expect(kept.goes).toEqual([]);
    expect(kept.why("a")).toContain("it would save 4.8 % of the pool's cost and disturb 93.9 % of its pods");
    const eager = single({ sketches: without, types: [cheap, large] });
    expect(eager.goes).toEqual(["a"]);
  });

  test("pods that wait for a node count neither for nor against", () => {
    const pods = [pendingPod("huge", { cpu: "64" })];
    expect(single({ sketches: alone, types: [large], pods }).goes).toHaveLength(1);
  });
});
