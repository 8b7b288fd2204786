import { describe, expect, test } from "vitest";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import {
  claimOf,
  condition,
  daemonOwner,
  nodeOf,
  nowMs,
  podOf,
  poolOf,
  provider,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { stagesNamed } from "../../../test/support/sample-stages.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import type { ObjectProblem } from "../object-problem.ts";
import type { ClusterView } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { disruption } from "./disruption.ts";
import { markCommands } from "./marking.ts";
import { replacement } from "./replacement.ts";

const stages = stagesNamed(["replacement", "disruption", "orchestration"]);
const labels = {
  "karpenter.sh/nodepool": "pool",
  "node.kubernetes.io/instance-type": "small",
  "topology.kubernetes.io/zone": "zone-a",
  "karpenter.sh/capacity-type": "on-demand",
};

function idle(name: string, change: Parameters<typeof claimOf>[1] = {}): NodeClaim {
  const status = statusOf(name, "initialized");
  return claimOf(name, {
    labels,
    status: { ...status, conditions: [...(status.conditions ?? []), condition("Consolidatable", "True")] },
    ...change,
  });
}

function worldWith(names: readonly string[], cluster: Partial<ClusterView> = {}): SmallWorld {
  return new SmallWorld(nowMs, {
    nodePools: [poolOf()],
    nodeClaims: names.map((name) => idle(name)),
    nodes: names.map((name) => nodeOf(name)),
    ...cluster,
  });
}

const budgeted = (nodes: string, change: Partial<NodePool["spec"]["disruption"]> = {}) => ({
  nodePools: [poolOf("pool", { disruption: { budgets: [{ nodes }], ...change } })],
});
const deleted = (world: SmallWorld) =>
  world.steps.flatMap(({ command }) => (command.kind === "delete-object" ? [command.target.name] : []));
const taintsOf = (world: SmallWorld, name: string) => world.get<Node>("Node", `node-${name}`)?.spec.taints ?? [];

/** Proposes, waits 15 s, carries out; answers who was deleted. */
async function rounds(world: SmallWorld, between: () => void = () => {}): Promise<readonly string[]> {
  await world.tick(stages);
  expect(deleted(world)).toEqual([]);
  world.atMs += 15_000;
  between();
  await world.tick(stages);
  return deleted(world);
}

describe("empty nodes", () => {
  test("are proposed, and go 15 s later: tainted, marked with the reason, then deleted", async () => {
    const world = worldWith(["a"]);
    expect(await rounds(world)).toEqual(["a"]);
    expect(world.steps.map(({ command }) => command.kind)).toEqual([
      "patch-state",
      "taint-node",
      "patch-status",
      "delete-object",
    ]);
    expect(taintsOf(world, "a")).toEqual([{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }]);
    const conditions = world.get<NodeClaim>("NodeClaim", "a")?.status?.conditions;
    expect(conditions).toContainEqual(
      expect.objectContaining({ type: "DisruptionReason", status: "True", reason: "Empty" }),
    );
    expect(world.state).toEqual({});
  });

  test("wait: nothing is written while the proposal is young, and the stage asks to be woken when it is due", async () => {
    const world = worldWith(["a"]);
    await world.tick(stages);
    world.atMs += 5_000;
    await world.tick(stages);
    expect(world.steps).toEqual([]);
    expect(disruption(provider).decide(await world.snapshot()).againAtMs).toBe(nowMs + 15_000);
  });

  test("one that got a pod meanwhile stays, the others go", async () => {
    const world = worldWith(["a", "b"]);
    expect(await rounds(world, () => world.put(podOf("p", "a")))).toEqual(["b"]);
    expect(taintsOf(world, "a")).toEqual([]);
  });

  test("one that became empty after the proposal is not in it", async () => {
    const world = worldWith(["a", "b"], { pods: [podOf("p", "b")] });
    expect(await rounds(world, () => world.remove("Pod", "default/p"))).toEqual(["a"]);
  });

  test("a proposal that nobody carried out for long is made anew", async () => {
    const world = worldWith(["a"]);
    await world.tick(stages);
    world.atMs += 11 * 60_000;
    await world.tick(stages);
    expect(deleted(world)).toEqual([]);
    expect(world.state["proposal.emptiness"]).toBe(`${world.atMs} delete uid-a`);
  });

  test("a proposal that came to nothing is removed", async () => {
    const world = worldWith(["a"]);
    expect(await rounds(world, () => world.put(podOf("p", "a")))).toEqual([]);
    expect(world.state).toEqual({});
  });
});

describe("what keeps a node", () => {
  const pods = (pod: Pod): Partial<ClusterView> => ({ pods: [pod] });
  const pdb = {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { matchLabels: { app: "agent" } } },
    status: { disruptionsAllowed: 0 },
  };
  const daemon = (change: Parameters<typeof podOf>[2] = {}) =>
    podOf("agent", "a", { ownerReferences: daemonOwner, labels: { app: "agent" }, ...change });
  const keepers: readonly (readonly [string, Partial<ClusterView>])[] = [
    ["a pod that would move", pods(podOf("p", "a"))],
    [
      "a daemon that asks not to be disrupted",
      pods(daemon({ annotations: { "karpenter.sh/do-not-disrupt": "true" } })),
    ],
    ["a PodDisruptionBudget over a daemon", { ...pods(daemon()), podDisruptionBudgets: [pdb] }],
    ["the node's annotation", { nodes: [nodeOf("a", { annotations: { "karpenter.sh/do-not-disrupt": "true" } })] }],
    ["consolidateAfter Never", budgeted("100%", { consolidateAfter: "Never" })],
    [
      "an open window (not Consolidatable)",
      { nodeClaims: [claimOf("a", { labels, status: statusOf("a", "initialized") })] },
    ],
    ["a budget of zero", budgeted("0")],
    ["a pool that is gone", { nodePools: [] }],
    [
      "another provider's class",
      { nodeClaims: [idle("a", { spec: { nodeClassRef: { group: "x", kind: "Y", name: "z" } } })] },
    ],
  ];
  test.each(keepers)("%s", async (_, cluster) => {
    expect(await rounds(worldWith(["a"], cluster))).toEqual([]);
  });

  test("a partial read of the cloud, and that is said", async () => {
    const world = worldWith(["a"]);
    world.incomplete = ["DescribeInstances"];
    expect(await rounds(world)).toEqual([]);
    const { reasons } = disruption(provider).decide(await world.snapshot());
    expect(reasons.map(({ code, message }) => [code, message])).toEqual([
      ["brake", "No node is disrupted: DescribeInstances could not be read completely"],
    ]);
  });

  const problem = { field: "spec", message: "must be an object" };
  const unreadable: readonly (readonly [string, ObjectProblem, boolean])[] = [
    ["a pod on it", { ...problem, ref: { kind: "Pod", name: "odd", namespace: "x" }, nodeName: "node-a" }, true],
    ["a pod on another node", { ...problem, ref: { kind: "Pod", name: "odd", namespace: "x" }, nodeName: "b" }, false],
    ["a pod on no node", { ...problem, ref: { kind: "Pod", name: "odd", namespace: "x" }, nodeName: "" }, false],
    ["a pod that may be anywhere", { ...problem, ref: { kind: "Pod", name: "odd", namespace: "x" } }, true],
    [
      "a budget over its daemon",
      { ...problem, ref: { kind: "PodDisruptionBudget", name: "p", namespace: "default" } },
      true,
    ],
    ["a budget elsewhere", { ...problem, ref: { kind: "PodDisruptionBudget", name: "p", namespace: "x" } }, false],
  ];
  test.each(unreadable)("what cannot be read: %s", async (_, one, isKept) => {
    const world = worldWith(["a"], { ...pods(daemon()), problems: [one] });
    expect(await rounds(world)).toEqual(isKept ? [] : ["a"]);
    if (!isKept) return;
    const { reasons } = disruption(provider).decide(await world.snapshot());
    expect(reasons.map(({ about, event }) => `${about.kind} ${event?.reason}`)).toContain("Node DisruptionBlocked");
  });

  test("a daemon alone, and a node annotation other than true, keep nothing", async () => {
    const nodes = [nodeOf("a", { annotations: { "karpenter.sh/do-not-disrupt": "10m" } })];
    expect(await rounds(worldWith(["a"], { ...pods(daemon()), nodes }))).toEqual(["a"]);
  });

  test("what holds an idle node is said on it", async () => {
    const world = worldWith(["a"], pods(daemon({ annotations: { "karpenter.sh/do-not-disrupt": "true" } })));
    const { reasons } = disruption(provider).decide(await world.snapshot());
    expect(reasons.map(({ about, event }) => `${about.kind} ${event?.reason}`)).toEqual([
      "Node DisruptionBlocked",
      "NodeClaim DisruptionBlocked",
    ]);
    expect(reasons[0]?.message).toContain("default/agent");
  });
});

describe("budgets and order", () => {
  test("no more go than the pool's budget leaves, and the others are for a later round", async () => {
    const world = worldWith(["a", "b", "c", "d"], budgeted("2"));
    expect(await rounds(world)).toHaveLength(2);
    expect(await rounds(world)).toEqual([]);
  });

  test("the dearest go first", async () => {
    const cheap = { ...labels, "node.kubernetes.io/instance-type": "unpriced" };
    const world = worldWith([], {
      nodeClaims: [idle("a", { labels: cheap }), idle("b")],
      nodes: [nodeOf("a"), nodeOf("b")],
      ...budgeted("1"),
    });
    expect(await rounds(world)).toEqual(["b"]);
  });

  test("a budget that cannot be read is an event on the pool", () => {
    const pool = poolOf("pool", { disruption: { budgets: [{ nodes: "1", schedule: "nonsense", duration: "1h" }] } });
    const snapshot = snapshotOf({ nodePools: [pool], nodeClaims: [idle("a")], nodes: [nodeOf("a")] });
    const { reasons } = disruption(provider).decide(snapshot);
    expect(reasons).toContainEqual(
      expect.objectContaining({
        code: "pool-budget",
        event: { type: "Normal", reason: "DisruptionBlocked" },
        message: expect.stringContaining("budgets[0]"),
      }),
    );
  });
});

describe("interrupted half way", () => {
  test("a node whose taint failed is not deleted", async () => {
    const world = worldWith(["a", "b"]);
    world.fault = (command) =>
      command.kind === "taint-node" && command.target.name === "node-a" ? "conflict" : undefined;
    expect(await rounds(world)).toEqual(["b"]);
  });

  test("a mark that nobody acted on is taken off when the node is needed again", async () => {
    const world = worldWith(["a"]);
    world.diesBefore = "orchestration";
    expect(await rounds(world)).toEqual([]);
    expect(taintsOf(world, "a")).toHaveLength(1);
    world.diesBefore = undefined;
    await world.tick(stages);
    expect(taintsOf(world, "a")).toEqual([]);
    const conditions = world.get<NodeClaim>("NodeClaim", "a")?.status?.conditions ?? [];
    expect(conditions.map(({ type }) => type)).not.toContain("DisruptionReason");
  });

  test("a node whose condition failed is not deleted, and its mark is taken off", async () => {
    const world = worldWith(["a", "b"]);
    const bothTicks = rounds(world, () => {
      world.fault = (command) =>
        command.kind === "patch-status" && command.target.name === "a" ? "conflict" : undefined;
    });
    expect(await bothTicks).toEqual(["b"]);
    expect(taintsOf(world, "a")).toHaveLength(1);
    world.fault = () => undefined;
    await world.tick(stages);
    expect(taintsOf(world, "a")).toEqual([]);
  });

  test("a mark that was left behind is taken off before the node is considered again", async () => {
    const world = worldWith(["a"]);
    world.diesBefore = "orchestration";
    expect(await rounds(world)).toEqual([]);
    world.diesBefore = undefined;
    await world.tick(stages);
    expect(taintsOf(world, "a")).toEqual([]);
    expect(await rounds(world)).toEqual(["a"]);
  });

  test("whatever stage marks a node, its claim is deleted in the same tick", async () => {
    const world = worldWith(["a"]);
    const snapshot = await world.snapshot();
    const [claim] = snapshot.cluster.nodeClaims;
    const [node] = snapshot.cluster.nodes;
    if (claim === undefined || node === undefined) throw new Error("the world has one of each");
    const another: Stage = {
      name: "drift",
      decide: () => ({ commands: markCommands(claim, node, "Drifted", nowMs), reasons: [] }),
    };
    await world.tick([another, ...stagesNamed(["orchestration"])]);
    expect(deleted(world)).toEqual(["a"]);
  });

  test("a node on its way out keeps its taint", () => {
    const tainted = nodeOf("a", { spec: { taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] } });
    const claim = idle("a", { deletionTimestamp: "2026-11-30T11:59:00Z" });
    const snapshot = snapshotOf({ nodePools: [poolOf()], nodeClaims: [claim], nodes: [tainted] });
    expect(replacement(provider).decide(snapshot).commands).toEqual([]);
  });
});

test("a node that a waiting pod is expected on is not proposed", async () => {
  const waiting = podOf("p", undefined, {
    status: { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] },
  });
  const world = worldWith(["a"], { pods: [waiting] });
  expect(disruption(provider).decide(await world.snapshot()).commands).toEqual([]);
});
