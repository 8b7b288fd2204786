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
import { instanceOf, minuteMs, nodeOf, podOf } from "../../../test/support/lifecycle-samples.ts";

describe("what the cloud's list proves", () => {
  test("an instance that the list lost is asked to end by its id before the finalizers go", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")] });
    world.instances = [];
    let asked = 0;
    await untilGone(world, () => {
      asked += kinds(world).filter((kind) => kind === "terminate-instance").length;
    });
    expect(asked).toBe(1);
  });

  test("a partial list keeps the finalizers", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a", { ready: "False" })] });
    world.instances = [];
    world.incomplete = ["DescribeInstances"];
    for (let tick = 0; tick < 4; tick++) {
      await world.tick(leavingStages);
      world.atMs += minuteMs;
    }
    expect(claimIn(world)).toBeDefined();
    world.incomplete = [];
    await untilGone(world);
  });

  test("a node that is not Ready and whose instance is gone is not drained; a Ready one is", async () => {
    const gone = [instanceOf("a", { state: "terminated" })];
    const dead = worldWith({
      nodeClaims: [deletedClaim()],
      nodes: [nodeOf("a", { ready: "False" })],
      pods: [podOf("p", "a")],
    });
    dead.instances = gone;
    expect(await untilGone(dead)).toBe(1);
    const alive = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], pods: [podOf("p", "a")] });
    alive.instances = gone;
    await alive.tick(leavingStages);
    expect(evicted(alive)).toEqual(["p"]);
    expect(nodeIn(alive)).toBeDefined();
  });

  test("an empty node waits 5 s, so that others see it going", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")] });
    await world.tick(leavingStages);
    expect(kinds(world)).not.toContain("terminate-instance");
    world.atMs += 5_000;
    await world.tick(leavingStages);
    expect(kinds(world)).toContain("terminate-instance");
  });
});
