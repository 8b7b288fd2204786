import { describe, expect, test } from "vitest";
import { deletedClaim, evicted, leavingStages, untilGone, worldWith } from "../../../test/support/leaving-world.ts";
import { instanceOf, nodeOf, nowMs, podOf } from "../../../test/support/lifecycle-samples.ts";

describe("evictions that a budget refuses", () => {
  test("are tried again after 5, 10, 20, 40 and then each 60 s; other pods are not held up", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], pods: [podOf("guarded", "a")] });
    world.fault = (command) =>
      command.kind === "evict-pod" && command.target.name === "guarded" ? "eviction-refused" : undefined;
    const tries: number[] = [];
    for (let second = 0; second <= 200; second++) {
      if (second === 2) world.put(podOf("free", "a"));
      await world.tick(leavingStages);
      if (evicted(world).includes("guarded")) tries.push(second);
      if (evicted(world).includes("free")) {
        expect(second).toBe(2);
        world.remove("Pod", "default/free");
      }
      world.atMs += 1_000;
    }
    expect(tries).toEqual([0, 5, 15, 35, 75, 135, 195]);
  });

  test("one key of the state remembers them, and goes with the pods and the node", async () => {
    const world = worldWith({
      nodeClaims: [deletedClaim()],
      nodes: [nodeOf("a")],
      pods: [podOf("p", "a"), podOf("q", "a")],
    });
    world.fault = (command) => (command.kind === "evict-pod" ? "eviction-refused" : undefined);
    await world.tick(leavingStages);
    expect(world.state).toEqual({ "eviction.uid-node-a": `${nowMs + 5_000} 5000 uid-pod-p,uid-pod-q` });
    world.fault = () => undefined;
    world.atMs += 5_000;
    await world.tick(leavingStages);
    world.remove("Pod", "default/p");
    world.remove("Pod", "default/q");
    await untilGone(world, () => {
      if (world.instances[0]?.state === "shutting-down") world.instances = [instanceOf("a", { state: "terminated" })];
    });
    expect(world.state).toEqual({});
  });
});
