import { describe, expect, test } from "vitest";
import { clusterIdentityTag } from "#api/outrigger-names.ts";
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
import { instanceOf, minuteMs, nodeOf, podOf, provider } from "../../../test/support/lifecycle-samples.ts";
import { finalization } from "./finalization.ts";

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

describe("an instance that is not ours", () => {
  const tags = { ...instanceOf("a").tags };
  test.each([
    ["carries another cluster's identity", { ...tags, [clusterIdentityTag]: "arn:sample@0" }, "another cluster"],
    ["carries no tag of ours", { Name: "database" }, "no tag of this cluster"],
  ])("that %s is not terminated, and the claim is let go with that reason", async (_, its, said) => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")] });
    world.instances = [instanceOf("a", { tags: its })];
    const asked: string[] = [];
    const before = await world.snapshot();
    await untilGone(world, () => asked.push(...kinds(world)));
    expect([...asked, ...kinds(world)]).not.toContain("terminate-instance");
    expect(world.instances).toHaveLength(1);
    const { reasons } = finalization(provider).decide({ ...before, cluster: { ...before.cluster, nodes: [] } });
    expect(reasons[0]?.message).toContain(said);
  });

  test("one that Karpenter launched has no identity yet, and is terminated with its claim", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")] });
    world.instances = [instanceOf("a", { tags: { "karpenter.sh/nodepool": "default" } })];
    let asked = false;
    await untilGone(world, () => {
      asked ||= kinds(world).includes("terminate-instance");
      if (asked) world.instances = [];
    });
    expect(asked).toBe(true);
  });
});
