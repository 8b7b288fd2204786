import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NodeSelectorRequirement, Pod, PodSpec, Toleration } from "#api/core-v1/pod.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { InstanceType } from "#core/instance-type.ts";
import { planProvisioning } from "#core/provisioning/plan.ts";
import type { ClusterView } from "#core/snapshot.ts";
import {
  daemonSet,
  instanceType,
  launched,
  node,
  nodePool,
  pendingPod,
  snapshotOf,
  stored,
  testProvider,
  zones,
} from "../support/scheduling-objects.ts";

const families = ["red", "green", "blue"];
const catalogue: readonly InstanceType[] = families.flatMap((family, f) =>
  [2, 4, 8, 16].map((cpu, c) =>
    instanceType(
      `${family}-${cpu}`,
      cpu,
      {
        // Not every type can be had everywhere.
        offerings: zones.flatMap((zone, z) => [
          { zone, capacityType: "on-demand", pricePerHour: cpu * (0.05 + f / 100), available: (f + c + z) % 4 !== 0 },
          { zone, capacityType: "spot", pricePerHour: cpu * (0.02 + z / 1000), available: (f + 2 * c + z) % 3 !== 0 },
        ]),
      },
      [
        { key: "example.dev/family", operator: "In", values: [family] },
        { key: "example.dev/cores", operator: "In", values: [String(cpu)] },
        { key: "kubernetes.io/arch", operator: "In", values: [f === 2 ? "arm64" : "amd64"] },
      ],
    ),
  ),
);

const expressions: fc.Arbitrary<NodeSelectorRequirement> = fc.oneof(
  fc.record({
    key: fc.constant("topology.kubernetes.io/zone"),
    operator: fc.constantFrom("In" as const, "NotIn" as const),
    values: fc.subarray(zones, { minLength: 1 }),
  }),
  fc.record({
    key: fc.constant("example.dev/family"),
    operator: fc.constantFrom("In" as const, "NotIn" as const),
    values: fc.subarray(families, { minLength: 1 }),
  }),
  fc.record({
    key: fc.constant("example.dev/cores"),
    operator: fc.constantFrom("Gt" as const, "Lt" as const),
    values: fc.constantFrom(["3"], ["4"], ["9"]),
  }),
  fc.record({
    key: fc.constant("team"),
    operator: fc.constantFrom("In" as const, "NotIn" as const),
    values: fc.subarray(["a", "b"], { minLength: 1 }),
  }),
  fc.record({ key: fc.constant("team"), operator: fc.constantFrom("Exists" as const, "DoesNotExist" as const) }),
);
const terms = fc.array(expressions, { minLength: 1, maxLength: 2 }).map((matchExpressions) => ({ matchExpressions }));
const specs: fc.Arbitrary<Partial<PodSpec>> = fc.record({
  nodeSelector: fc.constantFrom<Readonly<Record<string, string>>>(
    {},
    {},
    { "kubernetes.io/arch": "arm64" },
    { "karpenter.sh/capacity-type": "spot" },
  ),
  affinity: fc.record({
    nodeAffinity: fc.record(
      {
        requiredDuringSchedulingIgnoredDuringExecution: fc.record({
          nodeSelectorTerms: fc.array(terms, { minLength: 1, maxLength: 3 }),
        }),
        preferredDuringSchedulingIgnoredDuringExecution: fc.array(
          fc.record({ weight: fc.integer({ min: 1, max: 3 }), preference: terms }),
          { maxLength: 2 },
        ),
      },
      { requiredKeys: [] },
    ),
  }),
  tolerations: fc.constantFrom<Toleration[]>([], [{ key: "dedicated", operator: "Exists" }]),
  containers: fc
    .record({
      cpu: fc.constantFrom("100m", "500m", "1", "3", "7", "20"),
      memory: fc.constantFrom("64Mi", "1Gi", "6Gi"),
      hostPort: fc.constantFrom(undefined, undefined, undefined, 8080),
    })
    .map(({ cpu, memory, hostPort }) => [
      {
        name: "c",
        resources: { requests: { cpu, memory } },
        ...(hostPort === undefined ? {} : { ports: [{ containerPort: 1, hostPort, protocol: "TCP" as const }] }),
      },
    ]),
});
const groups = fc.array(fc.record({ spec: specs, count: fc.integer({ min: 1, max: 6 }) }), {
  minLength: 1,
  maxLength: 6,
});
const pods: fc.Arbitrary<readonly Pod[]> = groups.map((list) =>
  list.flatMap(({ spec, count }, g) => Array.from({ length: count }, (_, i) => pendingPod(`p${g}-${i}`, {}, spec))),
);

const pools: fc.Arbitrary<readonly NodePool[]> = fc.subarray(
  [
    nodePool("plain"),
    nodePool("limited", { limits: { cpu: "20" }, weight: 5 }),
    nodePool("few", { limits: { nodes: "2" }, weight: 7 }),
    nodePool("team", { requirements: [{ key: "team", operator: "In", values: ["a", "b"] }], weight: 3 }),
    nodePool("dedicated", { taints: [{ key: "dedicated", effect: "NoSchedule" }], labels: { team: "b" }, weight: 9 }),
    nodePool("two-families", {
      requirements: [{ key: "example.dev/family", operator: "Exists", minValues: 2 }],
      weight: 2,
    }),
  ],
  { minLength: 1 },
);
const nodes = fc.subarray([
  node(
    "old-1",
    { cpu: "3", memory: "8Gi", pods: "20" },
    { labels: { team: "a", "topology.kubernetes.io/zone": "zone-a" } },
  ),
  node("old-2", { cpu: "2", memory: "2Gi", pods: "3" }, { labels: { "kubernetes.io/arch": "arm64" } }),
]);
const daemonSets = fc.subarray([
  daemonSet("everywhere", { cpu: "200m", memory: "128Mi" }, { tolerations: [{ operator: "Exists" }] }),
  daemonSet("green", { cpu: "1" }, { nodeSelector: { "example.dev/family": "green" } }),
]);
const clusters: fc.Arbitrary<Partial<ClusterView>> = fc.record({ pods, nodePools: pools, nodes, daemonSets });
const runs = { numRuns: 100 };

const plan = (cluster: Partial<ClusterView>) => planProvisioning(snapshotOf(cluster, catalogue), testProvider);

/** Whose pods are where, and what the claims ask for. */
function decided({ claims, placements, unschedulable }: ReturnType<typeof plan>): unknown {
  const names = (pods: readonly Pod[]): readonly string[] => pods.map(({ metadata }) => metadata.name);
  return {
    claims: claims.map(({ nodeClaim: { metadata, spec }, planned }) => [metadata, spec, names(planned.pods)]),
    placements: placements.map(({ node: { name }, pods: placed }) => [name, names(placed)]),
    unschedulable: unschedulable.map((one) => [names(one.pods), one.message]),
  };
}

describe("for all small clusters", () => {
  test("every pod is placed once or told why not", () => {
    fc.assert(
      fc.property(clusters, (cluster) => {
        const { claims, placements, unschedulable } = plan(cluster);
        const seen = [...claims.map(({ planned }) => planned), ...placements, ...unschedulable]
          .flatMap((part) => part.pods)
          .map(({ metadata }) => metadata.name);
        expect([...seen].sort()).toEqual((cluster.pods ?? []).map(({ metadata }) => metadata.name).sort());
      }),
      runs,
    );
  });
});

describe("for all small clusters, deciding again", () => {
  test("the answer does not depend on the order of the objects", () => {
    const shuffled = clusters.chain((cluster) =>
      fc.record({
        cluster: fc.constant(cluster),
        pods: fc.shuffledSubarray([...(cluster.pods ?? [])], { minLength: cluster.pods?.length ?? 0 }),
        nodePools: fc.shuffledSubarray([...(cluster.nodePools ?? [])], { minLength: cluster.nodePools?.length ?? 0 }),
        nodes: fc.shuffledSubarray([...(cluster.nodes ?? [])], { minLength: cluster.nodes?.length ?? 0 }),
        types: fc.shuffledSubarray([...catalogue], { minLength: catalogue.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ cluster, types, ...order }) => {
        const one = planProvisioning(snapshotOf(cluster, catalogue), testProvider);
        const other = planProvisioning(snapshotOf({ ...cluster, ...order }, types), testProvider);
        expect(JSON.stringify([other.claims, other.placements, other.unschedulable])).toBe(
          JSON.stringify([one.claims, one.placements, one.unschedulable]),
        );
      }),
      runs,
    );
  });

  test("the answer does not depend on the order of OR-ed terms", () => {
    fc.assert(
      fc.property(clusters, fc.boolean(), (cluster, isTurned) => {
        const reordered = (cluster.pods ?? []).map((pod): Pod => {
          const { nodeAffinity } = pod.spec.affinity ?? {};
          const [first, ...others] =
            nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
          if (first === undefined) return pod;
          const nodeSelectorTerms = isTurned ? [...others, first] : [...others.reverse(), first];
          const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
          return { ...pod, spec: { ...pod.spec, affinity: { nodeAffinity: { ...nodeAffinity, ...required } } } };
        });
        expect(decided(plan({ ...cluster, pods: reordered }))).toEqual(decided(plan(cluster)));
      }),
      runs,
    );
  });

  test("pods that are expected on claims in flight cause no second one", () => {
    fc.assert(
      fc.property(clusters, fc.infiniteStream(fc.boolean()), (cluster, coins) => {
        const first = plan(cluster);
        const nodeClaims = first.claims.map(({ nodeClaim, planned: { cheapest } }) => {
          const type = catalogue.find(({ name }) => name === cheapest.instanceType);
          const isLaunched = coins.next().value === true && type !== undefined;
          return isLaunched ? launched(nodeClaim, type, cheapest.zone, cheapest.capacityType) : stored(nodeClaim);
        });
        // Meanwhile kube-scheduler binds those with room on a node. Pods that found no place are left out: one may
        // rightly take a node that came up as a type it can use.
        const bound = first.placements.flatMap(({ node: { name }, pods: placed }) =>
          placed.map((pod): Pod => ({ ...pod, spec: { ...pod.spec, nodeName: name }, status: { phase: "Running" } })),
        );
        const expected = first.claims.flatMap(({ planned }) => planned.pods);
        const second = plan({ ...cluster, pods: [...bound, ...expected], nodeClaims });
        expect(second.claims.map(({ nodeClaim }) => nodeClaim.metadata.name)).toEqual([]);
        expect(second.unschedulable).toEqual([]);
      }),
      runs,
    );
  });

  test("limits are never exceeded, whatever the claims are launched as", () => {
    fc.assert(
      fc.property(clusters, (cluster) => {
        const { claims } = plan(cluster);
        const of = (pool: string) => claims.filter(({ planned }) => planned.nodePool.metadata.name === pool);
        const largest = (names: readonly string[]): number =>
          Math.max(...names.map((name) => catalogue.find((type) => type.name === name)?.capacity.cpu ?? 0));
        const cpu = of("limited").map(({ planned }) => largest(planned.instanceTypes));
        expect(cpu.reduce((total, one) => total + one, 0)).toBeLessThanOrEqual(20_000);
        expect(of("few").length).toBeLessThanOrEqual(2);
      }),
      runs,
    );
  });
});
