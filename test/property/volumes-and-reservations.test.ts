import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaim } from "#api/core-v1/cluster-objects.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { InstanceType, Offering } from "#core/instance-type.ts";
import { type Plan, planProvisioning } from "#core/provisioning/plan.ts";
import type { ClusterView } from "#core/snapshot.ts";
import {
  boundPod,
  instanceType,
  node,
  nodePool,
  pendingPod,
  sizes,
  snapshotOf,
  testProvider,
  zones,
} from "../support/scheduling-objects.ts";
import {
  allowedZones,
  boundClaim,
  csiNode,
  onlyIn,
  openClaim,
  storageClass,
  using,
  volume,
} from "../support/volume-objects.ts";

const zoneLabel = "topology.kubernetes.io/zone";
const runs = { numRuns: 150 };

/** Claims by name: one bound in each zone, one that may be in two of them, one that may be anywhere, one shared by all. */
const classes = [storageClass("waiting"), storageClass("zonal", allowedZones(["zone-a"], ["zone-b"]))];
const volumes = [...zones, "zone-a"].map((zone, i) => volume(`pv-${i}`, onlyIn(zoneLabel, [zone])));
const placesOf: Readonly<Record<string, readonly string[]>> = {
  bound0: ["zone-a"],
  bound1: ["zone-b"],
  bound2: ["zone-c"],
  bound3: ["zone-a"],
  zonal: ["zone-a", "zone-b"],
  waiting: zones,
};
const claimOf = (name: string, kind: string): PersistentVolumeClaim =>
  kind.startsWith("bound") ? boundClaim(name, `pv-${kind.slice(-1)}`) : openClaim(name, kind);
const shared = Object.keys(placesOf).map((kind) => claimOf(`shared-${kind}`, kind));
const kindOf = (claim: string): string => claim.slice(claim.lastIndexOf("-") + 1);

interface Mounts {
  readonly cpu: string;
  /** Kinds of claims of its own, and of claims that others use too. */
  readonly own: readonly string[];
  readonly common: readonly string[];
}
const kinds = fc.subarray(Object.keys(placesOf), { maxLength: 2 });
const mounts: fc.Arbitrary<Mounts> = fc.record({ cpu: fc.constantFrom("100m", "1", "3"), own: kinds, common: kinds });

const clusters: fc.Arbitrary<Partial<ClusterView>> = fc
  .record({
    waiting: fc.array(mounts, { minLength: 1, maxLength: 12 }),
    running: fc.array(mounts, { maxLength: 4 }),
    limits: fc.tuple(...zones.map(() => fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }))),
    nodes: fc.subarray([...zones]),
  })
  .map(({ waiting, running, limits, nodes }) => {
    const claimsOf = (prefix: string, { own, common }: Mounts): readonly string[] => [
      ...own.map((kind) => `${prefix}-${kind}`),
      ...common.map((kind) => `shared-${kind}`),
    ];
    const pending = waiting.map((one, i) => pendingPod(`p${i}`, { cpu: one.cpu }, using(...claimsOf(`p${i}`, one))));
    const bound = running.flatMap((one, i): readonly Pod[] => {
      const where = nodes.find((zone) => claimsOf("", one).every((claim) => allows(claim, zone)));
      return where === undefined ? [] : [boundPod(`r${i}`, where, { cpu: "10m" }, using(...claimsOf(`r${i}`, one)))];
    });
    const own = [...pending, ...bound].flatMap(claimNames).filter((name) => !name.startsWith("shared-"));
    return {
      pods: [...pending, ...bound],
      nodes: nodes.map((zone) =>
        node(zone, { cpu: "4", memory: "8Gi", pods: "20" }, { labels: { [zoneLabel]: zone } }),
      ),
      csiNodes: zones.flatMap((zone, i) => (limits[i] === undefined ? [] : [csiNode(zone, limits[i])])),
      persistentVolumeClaims: [...shared, ...own.map((name) => claimOf(name, kindOf(name)))],
      persistentVolumes: volumes,
      storageClasses: classes,
      nodePools: [nodePool("default")],
    };
  });

function claimNames({ spec }: Pod): readonly string[] {
  return (spec.volumes ?? []).flatMap((one) => one.persistentVolumeClaim?.claimName ?? []);
}

function allows(claim: string, zone: string): boolean {
  return placesOf[kindOf(claim)]?.includes(zone) === true;
}

/** Claims of the pod whose volume cannot be in one of the zones. */
function strayClaims(pod: Pod, possible: readonly string[]): readonly string[] {
  return claimNames(pod).filter((claim) => !possible.every((zone) => allows(claim, zone)));
}

const plan = (cluster: Partial<ClusterView>) => planProvisioning(snapshotOf(cluster, sizes), testProvider);

describe("for all pods with volumes", () => {
  test("a pod is placed where each of its volumes can be, or told why not", () => {
    fc.assert(
      fc.property(clusters, (cluster) => {
        const { claims, placements, unschedulable } = plan(cluster);
        const places = [
          ...placements.map(({ node: existing, pods }) => ({ pods, possible: [existing.name] })),
          ...claims.map(({ planned }) => ({
            pods: planned.pods,
            possible: planned.requirements.get(zoneLabel)?.values ?? zones,
          })),
        ];
        expect(places.flatMap(({ pods, possible }) => pods.flatMap((pod) => strayClaims(pod, possible)))).toEqual([]);
        const possible = (pod: Pod) => zones.filter((zone) => strayClaims(pod, [zone]).length === 0);
        expect(unschedulable.flatMap(({ pods }) => pods).flatMap(possible)).toEqual([]);
      }),
      runs,
    );
  });

  test("no node is asked to attach more different volumes than it can", () => {
    fc.assert(
      fc.property(clusters, (cluster) => {
        for (const { node: existing, pods } of plan(cluster).placements) {
          const limit = (cluster.csiNodes ?? []).find(({ metadata }) => metadata.name === existing.name);
          const count = limit?.spec.drivers[0]?.allocatable?.count;
          if (count === undefined) continue;
          const running = (cluster.pods ?? []).filter(({ spec }) => spec.nodeName === existing.name);
          const before = new Set(running.flatMap(claimNames));
          const fresh = new Set(pods.flatMap(claimNames).filter((name) => !before.has(name)));
          if (fresh.size > 0) expect(before.size + fresh.size).toBeLessThanOrEqual(count);
        }
      }),
      runs,
    );
  });
});

const label = "example.dev/reservation";
const provider = {
  ...testProvider,
  wellKnownLabels: [...testProvider.wellKnownLabels, label],
  reservationIdLabel: label,
};

/** Two reservations in two zones, for two of three types of one size. */
const offers: fc.Arbitrary<readonly InstanceType[]> = fc
  .record({ r1: fc.integer({ min: 0, max: 4 }), r2: fc.integer({ min: 0, max: 4 }), both: fc.boolean() })
  .map(({ r1, r2, both }) => {
    const offering = (id: string, left: number, zone: string): Offering => ({
      zone,
      capacityType: "reserved",
      pricePerHour: 0.0001,
      available: true,
      requirements: [{ key: label, operator: "In", values: [id] }],
      reservationId: id,
      reservationCapacity: left,
    });
    const own = [
      [offering("r1", r1, "zone-a"), ...(both ? [offering("r2", r2, "zone-b")] : [])],
      [offering("r2", r2, "zone-b")],
      [],
    ];
    const values = ["on-demand", "reserved", "spot"];
    return own.map((reserved, i) => {
      const name = `t${i}`;
      const usual = instanceType(name, 4 + 4 * i);
      const capacityTypes = { key: "karpenter.sh/capacity-type", operator: "In" as const, values };
      return instanceType(name, 4 + 4 * i, { offerings: [...reserved, ...usual.offerings] }, [capacityTypes]);
    });
  });
const demand = fc.array(
  fc.record({ cpu: fc.constantFrom("1", "3", "6"), zone: fc.constantFrom(undefined, "zone-a", "zone-b") }),
  { minLength: 1, maxLength: 10 },
);
const reserving = fc.record({ types: offers, demand, mode: fc.constantFrom("strict" as const, "fallback" as const) });

const podsOf = (list: readonly { readonly cpu: string; readonly zone: string | undefined }[]) =>
  list.map(({ cpu, zone }, i) =>
    pendingPod(`p${i}`, { cpu }, zone === undefined ? {} : { nodeSelector: { [zoneLabel]: zone } }),
  );

function reserve({
  types,
  demand: list,
  mode,
}: {
  types: readonly InstanceType[];
  demand: Parameters<typeof podsOf>[0];
  mode: "strict" | "fallback";
}): Plan {
  return planProvisioning(snapshotOf({ pods: podsOf(list), nodePools: [nodePool("default")] }, types), provider, mode);
}

const idsOf = ({ planned }: Plan["claims"][number]) => planned.requirements.get(label)?.values ?? [];

describe("for all reservations", () => {
  test("no more claims name one than it has units, and every type of theirs can be launched into one of them", () => {
    fc.assert(
      fc.property(reserving, (one) => {
        const { claims } = reserve(one);
        const offerings = one.types.flatMap((type) =>
          type.offerings.map((offering) => ({ ...offering, type: type.name })),
        );
        for (const id of ["r1", "r2"]) {
          const left = offerings.find(({ reservationId }) => reservationId === id)?.reservationCapacity ?? 0;
          expect(claims.filter((claim) => idsOf(claim).includes(id)).length).toBeLessThanOrEqual(left);
        }
        for (const claim of claims) {
          const ids = idsOf(claim);
          if (ids.length === 0) {
            expect(claim.planned.capacityTypes).not.toContain("reserved");
            continue;
          }
          expect(claim.planned.capacityTypes).toEqual(["reserved"]);
          const zone = claim.planned.requirements.get(zoneLabel);
          for (const type of claim.planned.instanceTypes) {
            const fits = offerings.some(
              (offering) =>
                offering.type === type &&
                ids.includes(offering.reservationId ?? "") &&
                (zone === undefined || zone.values.includes(offering.zone)),
            );
            expect(fits, type).toBe(true);
          }
        }
      }),
      runs,
    );
  });

  test("pods wait in provisioning only while every reservation that could take them is held; in simulations they never do", () => {
    fc.assert(
      fc.property(reserving, (one) => {
        const { claims, deferred, unschedulable } = reserve(one);
        expect(unschedulable).toEqual([]);
        if (one.mode === "fallback") expect(deferred).toEqual([]);
        if (deferred.length === 0) return;
        const held = new Set(claims.flatMap(idsOf));
        expect(held.size).toBeGreaterThan(0);
      }),
      runs,
    );
  });

  test("the answer does not depend on the order of pods and types", () => {
    const shuffled = reserving.chain((one) =>
      fc.record({ one: fc.constant(one), types: fc.shuffledSubarray([...one.types], { minLength: one.types.length }) }),
    );
    fc.assert(
      fc.property(shuffled, ({ one, types }) => {
        const view = (given: typeof one) => {
          const { claims, deferred } = reserve(given);
          return JSON.stringify([claims, deferred]);
        };
        expect(view({ ...one, types })).toBe(view(one));
      }),
      runs,
    );
  });
});
