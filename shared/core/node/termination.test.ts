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
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";

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
