import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import {
  claimsIn,
  driftingProvider,
  lifeStagesOf,
  markedIn,
  podAsking,
  timePasses,
  upClaim,
  worldOf,
} from "../../../test/support/disruption-world.ts";
import { nodeOf, podOf } from "../../../test/support/lifecycle-samples.ts";
import type { SmallWorld } from "../../../test/support/small-world.ts";
import { drifted } from "../nodeclaim/conditions.ts";

/** Node `a` has drifted; what takes its place has not. */
const provider = driftingProvider(({ metadata }) =>
  metadata.name === "a" ? { reason: "SampleDrift", message: "i-a is old" } : undefined,
);
const stages = lifeStagesOf(provider);

/** A large old node with so many pods that fill a new node each. */
function worldWith(pods: number): SmallWorld {
  const resources = { cpu: "16", memory: "32Gi", pods: "20" };
  return worldOf([upClaim("a")], {
    nodes: [{ ...nodeOf("a"), status: { capacity: resources, allocatable: resources, conditions: ready } }],
    pods: Array.from({ length: pods }, (_, i) => podAsking(podOf(`p${i}`, "a"), "1500m")),
  });
}
const ready = [{ type: "Ready", status: "True" }] as const;

async function ticks(world: SmallWorld, count: number, between = 5_000): Promise<void> {
  for (let i = 0; i < count; i++) {
    await world.tick(stages);
    await timePasses(world, between);
  }
}

const kinds = (world: SmallWorld) => world.steps.map(({ command }) => command.kind);

describe("a replacement", () => {
  test("comes first: it is made and launched in the tick that marks the old node, which goes when it is ready", async () => {
    const world = worldWith(1);
    await world.tick(stages);
    expect(kinds(world)).toEqual([
      "patch-status",
      "patch-metadata",
      "create-node-claim",
      "taint-node",
      "patch-status",
      "patch-metadata",
      "ensure-launch-template",
      "launch-instance",
      "patch-status",
      "patch-metadata",
    ]);
    const { cluster } = await world.snapshot();
    const [, made] = cluster.nodeClaims;
    expect(made?.metadata.annotations).toMatchObject({
      "outrigger.dev/replaces": "a",
      "outrigger.dev/disruption": expect.stringMatching(/^Drifted 1 1\.[0-9a-z]{8}$/),
    });
    expect(world.get<NodeClaim>("NodeClaim", "a")?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionReason",
        status: "True",
        reason: "Drifted",
        message: `goes when ${made?.metadata.name} is ready`,
      }),
    );
    await world.tick(stages);
    expect(kinds(world)).toEqual(["patch-status"]);
    await world.tick(stages);
    expect(kinds(world)).toEqual([]);
    await timePasses(world);
    await ticks(world, 2);
    expect(world.get<NodeClaim>("NodeClaim", "a")?.metadata.deletionTimestamp).toBeDefined();
  });

  test("of several nodes: the old one goes when all of them are ready", async () => {
    const world = worldWith(2);
    await world.tick(stages);
    const made = claimsIn((await world.snapshot()).cluster).filter((name) => name !== "a");
    expect(made).toHaveLength(2);
    const [first] = world.instances.filter(({ state }) => state === "pending");
    world.instances = world.instances.map((one) => (one === first ? { ...one, state: "running" } : one));
    await ticks(world, 6);
    expect(world.get<NodeClaim>("NodeClaim", "a")?.metadata.deletionTimestamp).toBeUndefined();
    world.instances = world.instances.map((one) => (one.id === first?.id ? { ...one, state: "pending" } : one));
    await ticks(world, 12);
    expect(claimsIn((await world.snapshot()).cluster)).toEqual([...made].sort());
  });
});

describe("rolled back", () => {
  test("when its launch finds no capacity: the mark is taken off in the next tick, and its pool rests, longer each time", async () => {
    const world = worldWith(1);
    world.fault = ({ kind }) => (kind === "launch-instance" ? "insufficient-capacity" : undefined);
    const pauses: number[] = [];
    const launchedAt: number[] = [];
    for (let second = 0; second < 3_600; second += 10) {
      const before = launchedAt.length;
      await world.tick(stages);
      if (kinds(world).includes("launch-instance")) launchedAt.push(second);
      expect(await markedIn(world)).toEqual(launchedAt.length > before ? ["a"] : []);
      const [, pause] = world.state["back-off.uid-pool-pool"]?.split(" ") ?? [];
      if (pause !== undefined && Number(pause) !== pauses.at(-1)) pauses.push(Number(pause));
      await timePasses(world, 10_000);
    }
    expect(pauses).toEqual([60_000, 120_000, 240_000, 480_000, 960_000, 1_920_000]);
    expect(launchedAt).toEqual([0, 70, 200, 450, 940, 1_910]);
    expect(claimsIn((await world.snapshot()).cluster)).toEqual(["a"]);
  });

  test("when it is not ready in time: the replacement stays, and forgets whom it was to replace", async () => {
    const world = worldWith(1);
    await world.tick(stages);
    world.instances = world.instances.map((one) => ({ ...one, state: "running" }));
    for (let minute = 0; minute < 9; minute++) await timePasses(world, 60_000);
    await world.tick(stages);
    expect(await markedIn(world)).toEqual(["a"]);
    await timePasses(world, 61_000);
    await world.tick(stages.filter(({ name }) => name !== "disruption"));
    expect(await markedIn(world)).toEqual([]);
    const { nodeClaims } = (await world.snapshot()).cluster;
    expect(nodeClaims).toHaveLength(2);
    const annotations = nodeClaims.find(({ metadata }) => metadata.name !== "a")?.metadata.annotations ?? {};
    expect(Object.keys(annotations)).not.toContain("outrigger.dev/replaces");
    expect(Object.keys(annotations)).not.toContain("outrigger.dev/disruption");
    expect(Object.keys(world.state)).toEqual(["back-off.uid-pool-pool"]);
  });

  test("a late replacement that is ready is as good as an early one", async () => {
    const world = worldWith(1);
    await world.tick(stages);
    await timePasses(world, 5_000);
    await world.tick(stages.filter(({ name }) => name !== "replacement" && name !== "disruption"));
    await timePasses(world, 20 * 60_000);
    await ticks(world, 1);
    expect(world.get<NodeClaim>("NodeClaim", "a")?.metadata.deletionTimestamp).toBeDefined();
  });
});

test.each(["taint-node", "delete-object"] as const)(
  "a node that nothing replaces and whose %s failed loses its mark and goes all the same: its pool does not rest",
  async (kind) => {
    const world = worldWith(0);
    world.fault = (command) => (command.kind === kind ? "unavailable" : undefined);
    await world.tick(stages);
    expect(await markedIn(world)).toEqual(["a"]);
    expect(world.get<NodeClaim>("NodeClaim", "a")?.metadata.deletionTimestamp).toBeUndefined();
    world.fault = () => undefined;
    await timePasses(world, 1_000);
    await world.tick(stages);
    expect(world.state).toEqual({});
    expect(world.get<NodeClaim>("NodeClaim", "a")?.metadata.deletionTimestamp).toBeDefined();
  },
);

describe("killed between any two commands", () => {
  /** Until nothing happens any more; answers how many commands that took. */
  async function toTheEnd(world: SmallWorld): Promise<number> {
    let commands = 0;
    for (let i = 0; i < 40; i++) {
      await world.tick(stages);
      commands += world.steps.length;
      await timePasses(world, 6_000);
    }
    return commands;
  }

  test.each([1, 2])("a replacement by %d nodes reaches the same end", async (count) => {
    const commands = await toTheEnd(worldWith(count));
    expect(commands).toBeGreaterThan(15);
    for (let dead = 0; dead <= commands; dead++) {
      const world = worldWith(count);
      world.diesAfter = dead;
      await toTheEnd(world);
      const { nodeClaims } = (await world.snapshot()).cluster;
      const end = nodeClaims.map(({ metadata, status }) => ({
        going: metadata.deletionTimestamp !== undefined,
        conditions: status?.conditions?.filter(({ status: is }) => is === "True").map(({ type }) => type),
      }));
      const up = { going: false, conditions: expect.arrayContaining(["Initialized", "Ready"]) };
      expect(end, `after ${dead} commands`).toEqual(Array.from({ length: count }, () => up));
      expect(nodeClaims.some((claim) => claim.status?.conditions?.some(({ type }) => type === drifted))).toBe(false);
      expect(await markedIn(world), `after ${dead} commands`).toEqual([]);
      const { "registration.uid-pool-pool": _registrations, ...state } = world.state;
      expect(state, `after ${dead} commands`).toEqual({});
      const live = world.instances.filter(({ state }) => state === "running" || state === "pending");
      expect(live, `after ${dead} commands: ${JSON.stringify(world.instances)}`).toHaveLength(count);
    }
  });
});
