import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { launchAttemptAnnotation } from "#api/outrigger-names.ts";
import {
  ago,
  claimOf,
  condition,
  instanceOf,
  minuteMs,
  nowMs,
  provider,
  providerIdOf,
} from "../../../test/support/lifecycle-samples.ts";
import { stagesNamed } from "../../../test/support/sample-stages.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import type { Fault, FaultKind } from "../fault.ts";
import { launchOutcome } from "./launch-outcome.ts";

const names = ["adoption", "claim-garbage-collection", "attempt", "launch", "launch-outcome"];
const stages = stagesNamed(names);

function worldWith(...claims: readonly NodeClaim[]): SmallWorld {
  return new SmallWorld(nowMs, { nodeClaims: claims });
}

function claimIn(world: SmallWorld, name = "a"): NodeClaim {
  const claim = world.get<NodeClaim>("NodeClaim", name);
  if (claim === undefined) throw new Error(`${name} is gone`);
  return claim;
}

const launches = (world: SmallWorld) =>
  world.steps.flatMap(({ command }) => (command.kind === "launch-instance" ? [command] : []));
const launchedCondition = (claim: NodeClaim) => claim.status?.conditions?.find(({ type }) => type === "Launched");
const refuse = (kind: FaultKind) => (command: { readonly kind: string }) =>
  command.kind === "launch-instance" ? kind : undefined;

describe("launching a claim", () => {
  test("one tick records the attempt, prepares, launches and writes what came of it", async () => {
    const world = worldWith(claimOf("a"));
    await world.tick(stages);
    expect(world.steps.map(({ command }) => command.kind)).toEqual([
      "patch-metadata",
      "ensure-launch-template",
      "launch-instance",
      "patch-status",
      "patch-metadata",
    ]);
    const claim = claimIn(world);
    expect(claim.status).toMatchObject({ providerID: providerIdOf("a"), imageID: "image-1", capacity: { cpu: "2" } });
    expect(launchedCondition(claim)).toMatchObject({ status: "True", reason: "Launched" });
    expect(claim.metadata.labels).toMatchObject({ "topology.kubernetes.io/zone": "zone-a" });
    expect(claim.metadata.annotations?.[launchAttemptAnnotation]).toBe("1");
  });

  test("a second tick with the instance recorded does nothing", async () => {
    const world = worldWith(claimOf("a"));
    await world.tick(stages);
    await world.tick(stages);
    expect(world.steps).toEqual([]);
  });

  test("claims that share a launch template prepare it once", async () => {
    const world = worldWith(claimOf("a"), claimOf("b"), claimOf("c"));
    await world.tick(stages);
    expect(world.steps.filter(({ command }) => command.kind === "ensure-launch-template")).toHaveLength(1);
    expect(launches(world)).toHaveLength(3);
  });

  test("without the finalizer nothing is launched", async () => {
    const world = worldWith(claimOf("a", { finalizers: [] }));
    await world.tick(stages);
    expect(world.steps).toEqual([]);
  });

  test.each(["patch-metadata", "ensure-launch-template"])("when %s fails the launch is not tried", async (kind) => {
    const world = worldWith(claimOf("a"));
    world.fault = (command) => (command.kind === kind ? "unavailable" : undefined);
    await world.tick(stages);
    expect(launches(world)).toEqual([]);
  });
});

describe("a process that dies", () => {
  test("between launch and status: the next tick adopts, no second instance", async () => {
    const world = worldWith(claimOf("a"));
    world.diesBefore = "launch-outcome";
    await world.tick(stages);
    expect(claimIn(world).status?.providerID).toBeUndefined();
    world.diesBefore = undefined;
    world.atMs += minuteMs;
    await world.tick(stages);
    expect(world.instances).toHaveLength(1);
    expect(claimIn(world).status?.providerID).toBe(providerIdOf("a"));
  });

  test("between launch and status, and EC2 hides the instance: the same token is used again", async () => {
    const world = worldWith(claimOf("a"));
    world.diesBefore = "launch-outcome";
    await world.tick(stages);
    const [hidden] = world.instances.splice(0);
    world.diesBefore = undefined;
    world.atMs += 20_000;
    world.fault = refuse("token-mismatch");
    await world.tick(stages);
    expect(launches(world).map(({ token }) => token)).toEqual(["uid-a-1"]);
    expect(launchedCondition(claimIn(world))).toMatchObject({ status: "Unknown", reason: "EarlierLaunchPossible" });
    world.fault = () => undefined;
    world.atMs += 20_000;
    await world.tick(stages);
    expect(launches(world)).toEqual([]);
    if (hidden !== undefined) world.instances.push(hidden);
    await world.tick(stages);
    expect(claimIn(world).status?.providerID).toBe(providerIdOf("a"));
    expect(world.instances).toHaveLength(1);
  });

  test("a failure that Karpenter left on the claim is not the answer to our attempt: the same token is used again", async () => {
    const left = { ...condition("Launched", "Unknown"), reason: "LaunchFailed", message: "no capacity" };
    const world = worldWith(claimOf("a", { status: { conditions: [left] } }));
    world.diesBefore = "launch-outcome";
    await world.tick(stages);
    expect(launchedCondition(claimIn(world))).toMatchObject({ reason: "Launching" });
    const [hidden] = world.instances.splice(0);
    expect(hidden).toBeDefined();
    world.diesBefore = undefined;
    world.atMs += 2_000;
    await world.tick(stages);
    expect(launches(world).map(({ token }) => token)).toEqual(["uid-a-1"]);
  });

  test("an instance that does not appear within the grace is given up for the next attempt, unless the list is partial", async () => {
    const world = worldWith(claimOf("a"));
    world.fault = refuse("token-instance-terminated");
    await world.tick(stages);
    world.fault = () => undefined;
    world.atMs += 61_000;
    world.incomplete = ["DescribeInstances"];
    await world.tick(stages);
    expect(launches(world)).toEqual([]);
    world.incomplete = [];
    await world.tick(stages);
    expect(launches(world).map(({ token }) => token)).toEqual(["uid-a-2"]);
  });
});

describe("launches that fail", () => {
  test("insufficient capacity: the offerings are unavailable, the claim is deleted, users hear of it", async () => {
    const world = worldWith(claimOf("a"));
    world.fault = refuse("insufficient-capacity");
    const snapshot = await world.tick(stages);
    expect(Object.keys(world.state)).toEqual(["unavailable.on-demand.small.zone-a"]);
    expect(claimIn(world).metadata.deletionTimestamp).toBeDefined();
    const { reasons } = launchOutcome(provider).decide({ ...snapshot, steps: snapshot.steps });
    expect(reasons[0]?.event).toEqual({ type: "Warning", reason: "InsufficientCapacityError" });
  });

  test("two claims that meet the same missing capacity mark it once", async () => {
    const world = worldWith(claimOf("a"), claimOf("b"));
    world.fault = refuse("insufficient-capacity");
    await world.tick(stages);
    expect(world.steps.filter(({ command }) => command.kind === "patch-state")).toHaveLength(1);
  });

  test("a refusal is said on the claim, and followed by the next attempt after a pause that doubles to a minute", async () => {
    const world = worldWith(claimOf("a"));
    world.fault = refuse("launch-refused");
    const pauses: number[] = [];
    let last = world.atMs;
    for (let second = 0; second < 200 && pauses.length < 8; second++) {
      await world.tick(stages);
      if (launches(world).length > 0) {
        pauses.push((world.atMs - last) / 1000);
        last = world.atMs;
      }
      world.atMs += 1_000;
    }
    expect(pauses).toEqual([0, 1, 2, 4, 8, 16, 32, 60]);
    expect(launchedCondition(claimIn(world))).toMatchObject({
      status: "Unknown",
      message: "the test says launch-refused",
    });
  });

  test.each([
    ["unavailable", "uid-a-1"],
    ["throttled", "uid-a-2"],
  ] as const)("after %s, which may hide a success or not, the next token is %s", async (kind, token) => {
    const world = worldWith(claimOf("a"));
    world.fault = refuse(kind);
    await world.tick(stages);
    world.atMs += 5_000;
    world.fault = () => undefined;
    await world.tick(stages);
    expect(launches(world).map((command) => command.token)).toEqual([token]);
    expect(world.instances).toHaveLength(1);
  });

  test("a refusal of a repeated request proves nothing: the claim waits for the instance of the first one", async () => {
    const world = worldWith(claimOf("a"));
    world.fault = refuse("unavailable");
    await world.tick(stages);
    world.atMs += 5_000;
    world.fault = refuse("insufficient-capacity");
    await world.tick(stages);
    expect(claimIn(world).metadata.deletionTimestamp).toBeUndefined();
    expect(launchedCondition(claimIn(world))).toMatchObject({ reason: "EarlierLaunchPossible" });
    expect(Object.keys(world.state)).toHaveLength(1);
    world.atMs += 61_000;
    await world.tick(stages);
    expect(launches(world).map((command) => command.token)).toEqual(["uid-a-2"]);
    expect(claimIn(world).metadata.deletionTimestamp).toBeDefined();
  });
});

describe("what a refusal tells beside itself", () => {
  async function answered(fault: Partial<Fault>) {
    const world = worldWith(claimOf("a"));
    const before = await world.snapshot();
    await world.tick(stages);
    const [command] = launches(world);
    if (command === undefined) throw new Error("nothing was launched");
    const outcome = {
      kind: "failed",
      fault: { kind: "launch-refused", code: "Code", message: "m", ...fault },
    } as const;
    return launchOutcome(provider).decide({ ...before, steps: [{ stage: "launch", command, outcome }] });
  }

  test("a shortage that is a limit of the account is said on the claim before it goes", async () => {
    const limit = { kind: "insufficient-capacity", code: "VcpuLimitExceeded", reason: "VCPULimitExceeded" } as const;
    const limited = expect.objectContaining({ type: "Launched", reason: "VCPULimitExceeded" });
    const { commands } = await answered(limit);
    expect(commands.slice(-2)).toMatchObject([
      { kind: "patch-status", status: { conditions: expect.arrayContaining([limited]) } },
      { kind: "delete-object" },
    ]);
    const plain = await answered({ kind: "insufficient-capacity", code: "InsufficientInstanceCapacity" });
    expect(plain.commands.map(({ kind }) => kind)).not.toContain("patch-status");
  });

  test("what was short is unavailable even where another cause refused the launch", async () => {
    const offerings = [{ instanceType: "small", zone: "zone-b", capacityType: "on-demand" }];
    const { commands } = await answered({ kind: "launch-refused", offerings });
    const states = commands.flatMap((command) => (command.kind === "patch-state" ? Object.keys(command.data) : []));
    expect(states).toEqual(["unavailable.on-demand.small.zone-b"]);
    expect(commands.map(({ kind }) => kind)).not.toContain("delete-object");
  });
});

describe("launches that cannot be planned", () => {
  test("a class that is not ready is waited for without an attempt", async () => {
    const waiting = { ...provider, planLaunch: () => ({ kind: "not-ready", message: "no subnet" }) as const };
    const world = worldWith(claimOf("a"));
    const own = stagesNamed(["attempt", "launch", "launch-outcome"], waiting);
    await world.tick(own);
    expect(launchedCondition(claimIn(world))).toMatchObject({
      status: "Unknown",
      reason: "NodeClassNotReady",
      message: "no subnet",
    });
    expect(claimIn(world).metadata.annotations?.[launchAttemptAnnotation]).toBeUndefined();
    await world.tick(own);
    expect(world.steps).toEqual([]);
  });

  test("when nothing of the claim can be had the claim is deleted without a call", async () => {
    const without = {
      ...provider,
      planLaunch: () => ({ kind: "insufficient-capacity", message: "all are unavailable" }) as const,
    };
    const world = worldWith(claimOf("a"));
    await world.tick(stagesNamed(["attempt", "launch"], without));
    expect(world.steps.map(({ command }) => command.kind)).toEqual(["delete-object"]);
  });
});

test("a claim that is being deleted is not launched", async () => {
  const world = worldWith(claimOf("a", { deletionTimestamp: ago(1_000) }));
  await world.tick(stages);
  expect(world.instances).toEqual([]);
});

test("the answer with an instance is written even when the list does not have it yet", async () => {
  const world = worldWith(claimOf("a"));
  await world.tick(stages);
  world.instances = [];
  world.atMs += 20_000;
  await world.tick(stages);
  expect(claimIn(world).metadata.deletionTimestamp).toBeUndefined();
  expect(instanceOf("a").providerID).toBe(claimIn(world).status?.providerID);
});
