import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { interruptedAtAnnotation } from "#api/outrigger-names.ts";
import { formatTime } from "#api/time.ts";
import { deletedClaim, evicted, leavingStages, untilGone, worldWith } from "../../../test/support/leaving-world.ts";
import { instanceOf, nodeOf, nowMs, podOf } from "../../../test/support/lifecycle-samples.ts";

/** In which seconds the node's pods are asked for, when of each round the first `goes` may go. */
async function triesIn(claim: NodeClaim, goes: number): Promise<readonly number[]> {
  const pods = Array.from({ length: 8 }, (_, index) => podOf(`p${index}`, "a"));
  const world = worldWith({ nodeClaims: [claim], nodes: [nodeOf("a")], pods });
  const tries: number[] = [];
  for (let second = 0; second <= 25; second++) {
    let allowed = goes;
    world.fault = (command) => (command.kind === "evict-pod" && allowed-- <= 0 ? "eviction-refused" : undefined);
    await world.tick(leavingStages);
    if (evicted(world).length > 0) tries.push(second);
    for (const name of evicted(world).slice(0, goes)) world.remove("Pod", `default/${name}`);
    world.atMs += 1_000;
  }
  return tries;
}

describe("how soon a refused eviction is tried again", () => {
  test("are tried again each 5 s while the budget lets some go", async () => {
    expect(await triesIn(deletedClaim(), 1)).toEqual([0, 5, 10, 15, 20, 25]);
    expect(await triesIn(deletedClaim(), 0)).toEqual([0, 5, 15]);
  });

  test("are tried again each 5 s while the two minutes of a spot warning run", async () => {
    const claim = deletedClaim();
    const annotations = { ...claim.metadata.annotations, [interruptedAtAnnotation]: formatTime(nowMs - 100_000) };
    const warned = { ...claim, metadata: { ...claim.metadata, annotations } };
    expect(await triesIn(warned, 0)).toEqual([0, 5, 10, 15, 20]);
  });
});

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
    const { "eviction.uid-node-a": remembered, ...others } = world.state;
    expect(remembered).toMatch(new RegExp(`^${nowMs + 5_000} 5000 [0-9a-z]{8},[0-9a-z]{8}$`));
    expect(others).toEqual({});
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

  test("of more pods than one key holds none is told apart: all of the node's pause, those that come later too", async () => {
    const pods = Array.from({ length: 51 }, (_, index) => podOf(`p${index}`, "a"));
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], pods });
    world.fault = (command) => (command.kind === "evict-pod" ? "eviction-refused" : undefined);
    await world.tick(leavingStages);
    expect(world.state["eviction.uid-node-a"]).toBe(`${nowMs + 5_000} 5000 *`);
    world.put(podOf("late", "a"));
    world.atMs += 1_000;
    await world.tick(leavingStages);
    expect(evicted(world)).toEqual([]);
    world.atMs += 4_000;
    await world.tick(leavingStages);
    expect(evicted(world)).toHaveLength(52);
  });
});
