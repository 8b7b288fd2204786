import { describe, expect, test } from "vitest";
import {
  claimIn,
  deletedClaim,
  evicted,
  kinds,
  leavingStages,
  nodeIn,
  untilGone,
  worldWith,
} from "../../../test/support/leaving-world.ts";
import {
  ago,
  claimOf,
  instanceOf,
  nodeClass,
  nodeOf,
  nowMs,
  podOf,
  provider,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import { termination } from "./termination.ts";

describe("claims and nodes without each other", () => {
  test("a claim that never registered leaves the Node alone and ends its instance", async () => {
    const claim = deletedClaim({ status: statusOf("a", "launched") });
    const world = worldWith({ nodeClaims: [claim], nodes: [nodeOf("a", { finalizers: [] })], pods: [podOf("p", "a")] });
    await world.tick(leavingStages);
    expect(kinds(world)).toEqual(["terminate-instance", "patch-status"]);
    world.instances = [instanceOf("a", { state: "terminated" })];
    await world.tick(leavingStages);
    expect(claimIn(world)).toBeUndefined();
    expect(nodeIn(world)?.metadata.deletionTimestamp).toBeUndefined();
  });

  test("a claim that never launched goes at once", async () => {
    const world = new SmallWorld(nowMs, { nodeClaims: [claimOf("a", { deletionTimestamp: ago(0) })] });
    expect(await untilGone(world)).toBe(1);
  });

  test("a claim whose launch may have worked stays a minute, and its instance is ended when it appears", async () => {
    const annotations = { "outrigger.dev/launch-attempt": "1", "outrigger.dev/launch-attempt-time": ago(0) };
    const claim = claimOf("a", { deletionTimestamp: ago(0), annotations });
    const empty = new SmallWorld(nowMs, { nodeClaims: [claim] });
    expect(await untilGone(empty)).toBe(14);
    const world = new SmallWorld(nowMs, { nodeClaims: [claim] });
    await world.tick(leavingStages);
    world.instances = [instanceOf("a", { launchedAtMs: nowMs })];
    world.atMs += 20_000;
    await world.tick(leavingStages);
    expect(world.instances[0]?.state).toBe("shutting-down");
  });

  test("somebody deletes the Node: its claim is deleted", async () => {
    const node = nodeOf("a", { deletionTimestamp: ago(0) });
    const world = worldWith({ nodeClaims: [claimOf("a", { status: statusOf("a", "initialized") })], nodes: [node] });
    await world.tick(leavingStages);
    expect(claimIn(world)?.metadata.deletionTimestamp).toBeDefined();
  });

  test("a deleted Node without a claim is drained and released; its instance is not touched here", async () => {
    const world = worldWith({ nodes: [nodeOf("a", { deletionTimestamp: ago(0) })], pods: [podOf("p", "a")] });
    await world.tick(leavingStages);
    expect(evicted(world)).toEqual(["p"]);
    world.remove("Pod", "default/p");
    await world.tick(leavingStages);
    expect(nodeIn(world)).toBeUndefined();
    expect(world.instances[0]?.state).toBe("running");
  });

  test("nodes and claims of others are left alone", async () => {
    const claim = deletedClaim({
      spec: { nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "x" } },
    });
    const node = nodeOf("a", { deletionTimestamp: ago(0), labels: { "eks.amazonaws.com/nodeclass": "x" } });
    expect(node.metadata.labels?.[nodeClass.label]).toBeUndefined();
    const world = worldWith({ nodeClaims: [claim], nodes: [node] });
    await world.tick(leavingStages);
    expect(world.steps).toEqual([]);
  });
});

describe("what cannot be read", () => {
  const problem = { field: "spec", message: "must be an object" };
  const pod = { ...problem, ref: { kind: "Pod", name: "odd", namespace: "default" }, nodeName: "node-a" } as const;
  const node = { ...problem, ref: { kind: "Node", name: "node-a" } } as const;
  const terminated = (world: SmallWorld) => kinds(world).includes("terminate-instance");

  async function ticked(world: SmallWorld, seconds: number): Promise<SmallWorld> {
    world.atMs += seconds * 1_000;
    await world.tick(leavingStages);
    return world;
  }

  test("a pod on the node keeps its instance until it can be read, and the reason names it", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], problems: [pod] });
    await ticked(world, 0);
    expect(terminated(await ticked(world, 60))).toBe(false);
    expect(nodeIn(world)?.metadata.deletionTimestamp).toBeDefined();
    const { reasons } = termination(provider).decide(await world.snapshot());
    expect(reasons.map(({ message }) => message).join()).toContain("not to be read, and so not evicted: default/odd");
    world.beside = {};
    expect(terminated(await ticked(world, 1))).toBe(true);
  });

  test("a pod whose node cannot be told holds no termination up", async () => {
    const { nodeName: _, ...somewhere } = pod;
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], problems: [somewhere] });
    await ticked(world, 0);
    expect(terminated(await ticked(world, 5))).toBe(true);
  });

  test("the claim's Node keeps the instance, which would else end with its pods undrained, until the deadline", async () => {
    const forever = worldWith({ nodeClaims: [deletedClaim()], problems: [node] });
    expect(terminated(await ticked(forever, 600))).toBe(false);
    const bounded = worldWith({
      nodeClaims: [deletedClaim({ spec: { terminationGracePeriod: "10m" } })],
      problems: [node],
    });
    expect(terminated(await ticked(bounded, 599))).toBe(false);
    expect(terminated(await ticked(bounded, 1))).toBe(true);
  });

  test("a Node of another name does not matter", async () => {
    const other = { ...node, ref: { kind: "Node", name: "node-b" } } as const;
    expect(terminated(await ticked(worldWith({ nodeClaims: [deletedClaim()], problems: [other] }), 0))).toBe(true);
  });
});
