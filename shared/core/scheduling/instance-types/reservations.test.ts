import { describe, expect, test } from "vitest";
import type { InstanceType, Offering } from "#core/instance-type.ts";
import { planProvisioning } from "#core/provisioning/plan.ts";
import {
  instanceType,
  nodePool,
  type PoolSketch,
  pendingPods,
  snapshotOf,
  stored,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import type { ReservedMode } from "./reservations.ts";

const label = "example.dev/reservation";
const provider = {
  ...testProvider,
  wellKnownLabels: [...testProvider.wellKnownLabels, label],
  reservationIdLabel: label,
};

function reserved(reservationId: string, reservationCapacity: number, zone = "zone-a"): Offering {
  const requirements = [{ key: label, operator: "In" as const, values: [reservationId] }];
  return {
    zone,
    capacityType: "reserved",
    pricePerHour: 0.0001,
    available: true,
    requirements,
    reservationId,
    reservationCapacity,
  };
}

/** A type with these offerings before its usual ones. */
function typeWith(name: string, cpu: number, ...own: readonly Offering[]): InstanceType {
  const usual = instanceType(name, cpu);
  const capacityTypes = {
    key: "karpenter.sh/capacity-type",
    operator: "In" as const,
    values: ["on-demand", "reserved", "spot"],
  };
  return instanceType(name, cpu, { offerings: [...own, ...usual.offerings] }, [capacityTypes]);
}

interface Case {
  readonly types: readonly InstanceType[];
  readonly pods: number;
  readonly cpu?: string;
  readonly pool?: PoolSketch;
  readonly mode?: ReservedMode;
  readonly minValuesPolicy?: "Strict" | "BestEffort";
}

/** One node per pod: each takes more than half of every type. */
function plan({ types, pods, cpu = "3", pool = {}, mode, minValuesPolicy = "Strict" }: Case) {
  const cluster = { pods: pendingPods(pods, "p", { cpu }), nodePools: [nodePool("default", pool)] };
  return planProvisioning(snapshotOf(cluster, types, { minValuesPolicy }), provider, mode);
}

function claimsOf(one: Case) {
  return plan(one).claims.map(({ planned, nodeClaim }) => ({
    capacityTypes: planned.capacityTypes,
    ids: nodeClaim.spec.requirements.find(({ key }) => key === label)?.values ?? [],
    types: planned.instanceTypes,
  }));
}

const four = typeWith("four", 4, reserved("r-1", 2));
const plain = instanceType("plain", 4);

describe("reserved capacity", () => {
  test("a claim that holds a reservation is pinned to it, with the types that can be launched into it and no others (slip 12)", () => {
    expect(claimsOf({ types: [four, plain], pods: 1 })).toEqual([
      { capacityTypes: ["reserved"], ids: ["r-1"], types: ["four"] },
    ]);
  });

  test("claims of one batch count together, and pods beyond the last unit wait without any event", () => {
    const result = plan({ types: [four, plain], pods: 3 });
    expect(result.claims.map(({ planned }) => planned.capacityTypes)).toEqual([["reserved"], ["reserved"]]);
    expect(result.deferred.map(({ pods, message }) => [pods.length, message])).toEqual([
      [1, expect.stringMatching(/waits for the next look.*every unit is held/)],
    ]);
    expect(result.unschedulable).toEqual([]);
  });

  test("in a simulation the third pod gets another kind of capacity, and that claim may not become a reserved one", () => {
    expect(claimsOf({ types: [four, plain], pods: 3, mode: "fallback" })).toEqual([
      { capacityTypes: ["reserved"], ids: ["r-1"], types: ["four"] },
      { capacityTypes: ["reserved"], ids: ["r-1"], types: ["four"] },
      { capacityTypes: ["on-demand", "spot"], ids: [], types: ["four", "plain"] },
    ]);
  });

  test("with the feature gate off a reserved offering is like any other", () => {
    const cluster = { pods: pendingPods(3, "p", { cpu: "3" }), nodePools: [nodePool("default")] };
    const featureGates = { nodeRepair: false, reservedCapacity: false, spotToSpotConsolidation: false };
    const { claims } = planProvisioning(snapshotOf(cluster, [four], { featureGates }), provider);
    expect(claims.map(({ planned }) => planned.capacityTypes)).toEqual(
      Array(3).fill(["on-demand", "reserved", "spot"]),
    );
  });

  test("a pool that does not allow reserved capacity never holds any", () => {
    const pool = { requirements: [{ key: "karpenter.sh/capacity-type", operator: "In" as const, values: ["spot"] }] };
    expect(claimsOf({ types: [four], pods: 3, pool }).map(({ capacityTypes }) => capacityTypes)).toEqual(
      Array(3).fill(["spot"]),
    );
  });

  test("a reservation with nothing left offers nothing, so nobody waits for it", () => {
    const used = typeWith("four", 4, reserved("r-1", 0));
    expect(claimsOf({ types: [used], pods: 1 })).toEqual([
      { capacityTypes: ["on-demand", "spot"], ids: [], types: ["four"] },
    ]);
  });

  test("a claim holds every reservation that it could be launched into", () => {
    const other = typeWith("other", 4, reserved("r-2", 1, "zone-b"));
    expect(claimsOf({ types: [four, other], pods: 2 })).toEqual([
      { capacityTypes: ["reserved"], ids: ["r-1", "r-2"], types: ["four", "other"] },
      { capacityTypes: ["reserved"], ids: ["r-1"], types: ["four"] },
    ]);
  });

  test("a pod that would take a claim's last reservation away does not join it", () => {
    const small = typeWith("small", 4, reserved("r-1", 1));
    const result = plan({ types: [small, instanceType("large", 16)], pods: 4, cpu: "1500m" });
    expect(result.claims.map(({ planned }) => [planned.pods.length, planned.instanceTypes])).toEqual([[2, ["small"]]]);
    expect(result.deferred.map(({ pods }) => pods.length)).toEqual([2]);
  });

  test("two pools that name one reservation share its units", () => {
    const pools = [nodePool("a", { weight: 2, limits: { nodes: "1" } }), nodePool("b")];
    const cluster = { pods: pendingPods(3, "p", { cpu: "3" }), nodePools: pools };
    const result = planProvisioning(snapshotOf(cluster, [four]), provider);
    expect(result.claims.map(({ planned }) => planned.nodePool.metadata.name)).toEqual(["a", "b"]);
    expect(result.deferred.flatMap(({ pods }) => pods)).toHaveLength(1);
  });

  test("claims that wait for their launch hold theirs", () => {
    const nodePools = [nodePool("default")];
    const first = planProvisioning(
      snapshotOf({ pods: pendingPods(2, "p", { cpu: "3" }), nodePools }, [four]),
      provider,
    );
    const nodeClaims = first.claims.map(({ nodeClaim }) => stored(nodeClaim));
    const pods = [...pendingPods(2, "p", { cpu: "3" }), ...pendingPods(1, "q", { cpu: "3" })];
    const second = planProvisioning(snapshotOf({ pods, nodePools, nodeClaims }, [four]), provider);
    expect(second.claims).toEqual([]);
    expect(second.deferred.flatMap((one) => one.pods).map(({ metadata }) => metadata.name)).toEqual(["q-00000"]);
  });
});

describe("minValues on a claim that could be reserved", () => {
  const pool = {
    requirements: [{ key: "node.kubernetes.io/instance-type", operator: "Exists" as const, minValues: 2 }],
  };
  const minValuesOf = (one: Case) =>
    plan(one).claims.map(({ nodeClaim: { spec, metadata } }) => [
      spec.requirements.find(({ key }) => key === "node.kubernetes.io/instance-type")?.minValues,
      metadata.annotations?.["karpenter.sh/nodeclaim-min-values-relaxed"],
    ]);

  test("Strict gives the reservation up when it leaves too few types", () => {
    expect(claimsOf({ types: [four, plain], pods: 1, pool })).toEqual([
      { capacityTypes: ["on-demand", "spot"], ids: [], types: ["four", "plain"] },
    ]);
  });

  test("Strict pins to nothing when reserved and other types are enough only together: each of them can be launched", () => {
    const only = { ...four, offerings: four.offerings.filter(({ capacityType }) => capacityType === "reserved") };
    expect(claimsOf({ types: [only, plain], pods: 1, pool })).toEqual([
      { capacityTypes: ["on-demand", "reserved", "spot"], ids: [], types: ["four", "plain"] },
    ]);
  });

  test("BestEffort asks for fewer values and says so", () => {
    const one: Case = { types: [four, plain], pods: 1, pool, minValuesPolicy: "BestEffort" };
    expect(claimsOf(one)).toEqual([{ capacityTypes: ["reserved"], ids: ["r-1"], types: ["four"] }]);
    expect(minValuesOf(one)).toEqual([[1, "true"]]);
  });
});
