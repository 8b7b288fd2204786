import { describe, expect, test } from "vitest";
import { runInvocation } from "#controllers/invocation.ts";
import { type Decision, nothing } from "#core/decision.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { ScriptedWorld } from "../support/scripted-world.ts";

const write = (value: string): Decision => ({ ...nothing, commands: [{ kind: "patch-state", data: { x: value } }] });

/** Runs one invocation to its end; when it ended, ms. */
async function invoke(world: ScriptedWorld, decide: (snapshot: Snapshot) => Decision): Promise<number | undefined> {
  let endMs: number | undefined;
  world.clock.spawn(async () => {
    await runInvocation(world.ports, world.configuration(decide));
    endMs = world.clock.nowMs();
  });
  await world.clock.runUntil(600_000);
  return endMs;
}

describe("how long an invocation stays", () => {
  test("a quiet tick ends it at once", async () => {
    const world = new ScriptedWorld();
    expect(await invoke(world, () => nothing)).toBe(0);
    expect(world.tickTimes).toEqual([0]);
  });

  test("a tick that changed something is followed by another a second later", async () => {
    const world = new ScriptedWorld();
    await invoke(world, ({ nowMs }) => (nowMs < 3_000 ? write(String(nowMs)) : nothing));
    expect(world.tickTimes).toEqual([0, 1_000, 2_000, 3_000]);
  });

  test("it waits for a deadline within the minute, and leaves a later one to the next scheduled tick", async () => {
    const near = new ScriptedWorld();
    await invoke(near, ({ nowMs }) => (nowMs === 0 ? { ...nothing, againAtMs: 60_000 } : nothing));
    expect(near.tickTimes).toEqual([0, 60_000]);
    const far = new ScriptedWorld();
    expect(await invoke(far, () => ({ ...nothing, againAtMs: 60_001 }))).toBe(0);
    expect(far.tickTimes).toEqual([0]);
  });

  test("it leaves after 150 s even when every tick changes something", async () => {
    const world = new ScriptedWorld();
    const endMs = await invoke(world, ({ nowMs }) => write(String(nowMs)));
    expect(endMs).toBe(150_000);
    expect(world.tickTimes.length).toBeLessThanOrEqual(151);
  });

  test("one that is held ends at once, by the second too: whoever holds it waits for its Lease", async () => {
    const world = new ScriptedWorld();
    world.view = { ...world.view, state: { pause: "all" } };
    let endMs: number | undefined;
    world.clock.spawn(async () => {
      const manner = { mustLeave: () => false, reaction: "seconds" } as const;
      await runInvocation(
        world.ports,
        world.configuration(() => write("never")),
        manner,
      );
      endMs = world.clock.nowMs();
    });
    await world.clock.runUntil(600_000);
    expect([endMs, world.applied]).toEqual([0, []]);
  });

  test("a deadline in the past is not a busy loop", async () => {
    const world = new ScriptedWorld();
    await invoke(world, ({ nowMs }) => ({ ...nothing, againAtMs: nowMs - 1 }));
    expect(world.tickTimes.slice(0, 3)).toEqual([0, 1_000, 2_000]);
  });

  test("a pod that nothing can place does not keep it awake", async () => {
    const world = new ScriptedWorld();
    world.view = {
      ...world.view,
      pods: [
        {
          apiVersion: "v1",
          kind: "Pod",
          metadata: { name: "huge", namespace: "default", uid: "u" },
          spec: { containers: [{ name: "c", resources: { requests: { cpu: "4000" } } }] },
          status: {
            phase: "Pending",
            conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
          },
        },
      ],
    };
    expect(await invoke(world, () => nothing)).toBe(0);
    expect(world.reports[0]?.decisions.flatMap(({ decision }) => decision.reasons.map(({ code }) => code))).toContain(
      "pod-unschedulable",
    );
  });
});

describe("what wakes a waiting invocation", () => {
  const waiting = ({ nowMs }: Snapshot): Decision => (nowMs < 50_000 ? { ...nothing, againAtMs: 59_000 } : nothing);

  test("a pod, after a second of quiet", async () => {
    const world = new ScriptedWorld();
    world.podAt(10_000);
    await invoke(world, waiting);
    expect(world.tickTimes).toEqual([0, 11_000, 59_000]);
  });

  const twiceASecond = Array.from({ length: 40 }, (_, i) => 10_000 + i * 500);

  test("pods that keep coming are gathered for ten seconds at most", async () => {
    const world = new ScriptedWorld();
    world.podAt(...twiceASecond);
    await invoke(world, waiting);
    expect(world.tickTimes[1]).toBe(20_000);
  });

  test("a node that joins, at once but for those that join with it", async () => {
    const world = new ScriptedWorld();
    world.nodeAt(10_000, 10_100, 10_400);
    await invoke(world, waiting);
    expect(world.tickTimes).toEqual([0, 10_250, 10_650, 59_000]);
  });

  test("a node that joins among pods that keep coming, a second later", async () => {
    const world = new ScriptedWorld();
    world.podAt(...twiceASecond);
    world.nodeAt(12_250);
    await invoke(world, waiting);
    expect(world.tickTimes[1]).toBe(13_250);
  });

  test("a node that joins within a pod's second makes the pod wait no longer", async () => {
    const world = new ScriptedWorld();
    world.podAt(10_000);
    world.nodeAt(10_400, 10_600, 10_900);
    await invoke(world, waiting);
    expect(world.tickTimes[1]).toBe(11_000);
  });

  test("a pod that comes with a joining node brings the others of its second", async () => {
    const world = new ScriptedWorld();
    world.nodeAt(10_000);
    world.podAt(10_100, 10_300, 10_500);
    await invoke(world, waiting);
    expect(world.tickTimes[1]).toBe(11_000);
  });
});

describe("faults ask for another look", () => {
  const failing = (kind: "throttled" | "conflict" | "forbidden", retryAfterMs?: number) => {
    const world = new ScriptedWorld();
    world.answer = () => ({
      kind: "failed",
      fault: { kind, code: "x", message: "", ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    });
    return world;
  };
  const once = ({ nowMs }: Snapshot): Decision => (nowMs === 0 ? write("1") : nothing);

  test("a throttled write at the time that the server names, a conflict a second later", async () => {
    const throttled = failing("throttled", 17_000);
    await invoke(throttled, once);
    expect(throttled.tickTimes).toEqual([0, 17_000]);
    const conflict = failing("conflict");
    await invoke(conflict, once);
    expect(conflict.tickTimes).toEqual([0, 1_000]);
  });

  test("a missing right waits for the next scheduled tick", async () => {
    const world = failing("forbidden");
    expect(await invoke(world, once)).toBe(0);
    expect(world.tickTimes).toEqual([0]);
  });
});
