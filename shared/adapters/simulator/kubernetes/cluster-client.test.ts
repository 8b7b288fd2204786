import { describe, expect, test } from "vitest";
import type { ClusterCommand } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import { aPod, KubernetesWorld, readyNode } from "../../../../test/support/simulated-kubernetes.ts";

const unavailable: Fault = { kind: "unavailable", code: "503", message: "the server is busy" };
const setState = (key: string): ClusterCommand => ({ kind: "patch-state", data: { [key]: "1" } });

describe("ClusterClient", () => {
  test("a fault has no effect; a lost answer has", async () => {
    const { cluster } = new KubernetesWorld();
    cluster.conditions = { faults: (command) => (command.kind === "patch-state" ? unavailable : undefined) };
    expect(await cluster.apply(setState("a"))).toEqual({ kind: "failed", fault: unavailable });
    cluster.conditions = { lostAnswers: () => unavailable };
    expect(await cluster.apply(setState("b"))).toEqual({ kind: "failed", fault: unavailable });
    expect((await cluster.observe("around-claims")).state).toEqual({ b: "1" });
  });

  test("the n-th call can be made to fail", async () => {
    const { cluster } = new KubernetesWorld();
    let calls = 0;
    cluster.conditions = { faults: () => (++calls === 2 ? unavailable : undefined) };
    const outcomes = [];
    for (const key of ["a", "b", "c"]) outcomes.push((await cluster.apply(setState(key))).kind);
    expect(outcomes).toEqual(["done", "failed", "done"]);
  });

  test("writes of another client wake, one's own do not", async () => {
    const { cluster, clock } = new KubernetesWorld();
    const other = cluster.connect();
    const heard: string[] = [];
    clock.spawn(async () => {
      await cluster.observe("everything");
      await cluster.apply(setState("own"));
      heard.push(await cluster.nextChange(clock.nowMs() + 1_000));
      await other.apply(setState("other"));
      heard.push(await cluster.nextChange(clock.nowMs() + 1_000));
    });
    await clock.runUntil(clock.nowMs() + 10_000);
    expect(heard).toEqual(["deadline", "changed"]);
  });

  test("with latency a look takes time, and shows nodes as of before the pods", async () => {
    const world = new KubernetesWorld();
    world.cluster.conditions = { apiLatencyMs: 100 };
    const { clock, cluster } = world;
    let seen: readonly [number, number] | undefined;
    clock.spawn(async () => {
      const view = await cluster.observe("everything");
      seen = [view.nodes.length, view.pods.length];
    });
    clock.after(550, () => world.load(readyNode("n"), aPod("p")));
    await world.runFor(5);
    expect(seen).toEqual([0, 1]);
  });
});
