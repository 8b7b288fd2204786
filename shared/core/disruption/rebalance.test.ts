import { expect, test } from "vitest";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import {
  ago,
  claimOf,
  nodeClass,
  nodeOf,
  nowMs,
  podOf,
  poolOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { stagesNamed } from "../../../test/support/sample-stages.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import { interrupt } from "../nodeclaim/interruption.ts";
import type { ClusterView } from "../snapshot.ts";

const stages = stagesNamed(["rebalance"]);
const labels = {
  "karpenter.sh/nodepool": "pool",
  "node.kubernetes.io/instance-type": "small",
  "topology.kubernetes.io/zone": "zone-a",
  "karpenter.sh/capacity-type": "spot",
};

function poolWith(onRebalance: string | undefined, nodes = "1"): NodePool {
  const pool = poolOf("pool", { disruption: { budgets: [{ nodes }] } });
  const annotations = onRebalance === undefined ? {} : { "outrigger.dev/on-rebalance": onRebalance };
  return { ...pool, metadata: { ...pool.metadata, annotations: { ...pool.metadata.annotations, ...annotations } } };
}

function worldWith(names: readonly string[], nodePool: NodePool, ageMs = 3_600_000): SmallWorld {
  const annotations = { "outrigger.dev/rebalance-recommended-at": ago(1_000) };
  const cluster: Partial<ClusterView> = {
    nodePools: [nodePool],
    nodeClaims: names.map((name) => claimOf(name, { labels, annotations, status: statusOf(name, "initialized") })),
    nodes: names.map((name) => {
      const node = nodeOf(name);
      return { ...node, metadata: { ...node.metadata, creationTimestamp: ago(ageMs) } };
    }),
  };
  return new SmallWorld(nowMs, cluster);
}

const deleted = (world: SmallWorld): readonly string[] =>
  world.steps.flatMap(({ command }) => (command.kind === "delete-object" ? [command.target.name] : []));

test("row 50: ten recommendations at once with a budget of one replace one node, and then no other", async () => {
  const world = worldWith(
    Array.from({ length: 10 }, (_, i) => `n${i}`),
    poolWith("replace"),
  );
  await world.tick(stages);
  expect(deleted(world)).toHaveLength(1);
  world.atMs += 5_000;
  await world.tick(stages);
  expect(deleted(world)).toEqual([]);
});

test("row 50: a node that is three minutes old is kept", async () => {
  const world = worldWith(["a"], poolWith("replace"), 180_000);
  await world.tick(stages);
  expect(deleted(world)).toEqual([]);
});

test("the claim remembers the time, so that its pods wait for the replacement, and the offering rests", async () => {
  const world = worldWith(["a"], poolWith("replace"));
  await world.tick(stages);
  expect(world.steps.map(({ command }) => command)).toMatchObject([
    { kind: "patch-state", data: { "unavailable.spot.small.zone-a": expect.any(String) } },
    { kind: "patch-metadata", annotations: { "outrigger.dev/interrupted-at": ago(0) } },
    { kind: "delete-object", target: { name: "a", uid: "uid-a" } },
  ]);
});

test("a pool that no longer asks for it, and a pod that must not be disrupted, keep the node", async () => {
  const world = worldWith(["a"], poolWith(undefined));
  await world.tick(stages);
  expect(deleted(world)).toEqual([]);
  const guarded = worldWith(["a"], poolWith("replace"));
  const pod = podOf("p", "a");
  guarded.put({
    ...pod,
    metadata: { ...pod.metadata, annotations: { "karpenter.sh/do-not-disrupt": "true" } },
  });
  await guarded.tick(stages);
  expect(deleted(guarded)).toEqual([]);
});

test.each([
  [undefined, []],
  ["tell", []],
  ["replace", ["patch-metadata"]],
])("a recommendation to a pool that says %s writes %j", (onRebalance, kinds) => {
  const claim = claimOf("a", { labels, status: statusOf("a", "initialized") });
  const { commands, reasons } = interrupt({
    ...{ nodeClaims: [claim], nodes: [], nodePools: [poolWith(onRebalance)], state: {}, nowMs },
    nodeClass,
    notices: [{ kind: "rebalance", instanceId: "i-a", atMs: nowMs }],
  });
  expect(commands.map(({ kind }) => kind)).toEqual(kinds);
  expect(reasons.map(({ event }) => event?.reason)).toEqual(["SpotRebalanceRecommendation"]);
});
