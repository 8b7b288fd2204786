/** Users' rows about interruption messages, by number. */
import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { handleInterruptions, type InterruptionReport } from "#controllers/interruption.ts";
import type { Command } from "#core/command.ts";
import { parseMessage } from "#ec2/interruption/message.ts";
import { ScriptedWorld, scriptedProvider } from "../support/scripted-world.ts";

const provider = scriptedProvider(() => ({ commands: [], reasons: [] }), parseMessage);
const time = "1970-01-01T00:00:00Z";

function event(source: string, detailType: string, detail: unknown, version = "0"): string {
  return JSON.stringify({ version, source, "detail-type": detailType, time, detail });
}
const warning = (id: string) => event("aws.ec2", "EC2 Spot Instance Interruption Warning", { "instance-id": id });
const stateChange = (id: string, state: string) =>
  event("aws.ec2", "EC2 Instance State-change Notification", { "instance-id": id, state });
const health = (service: string, eventTypeCategory: string, ...ids: readonly string[]) =>
  event("aws.health", "AWS Health Event", {
    ...{ service, eventTypeCategory },
    affectedEntities: ids.map((entityValue) => ({ entityValue })),
  });

const claimOf = (id: string): NodeClaim => ({
  apiVersion: "karpenter.sh/v1",
  kind: "NodeClaim",
  metadata: {
    ...{ name: `claim-${id}`, uid: `uid-${id}` },
    labels: {
      "karpenter.sh/capacity-type": "spot",
      "node.kubernetes.io/instance-type": "m5.large",
      "topology.kubernetes.io/zone": "us-east-1a",
    },
  },
  spec: { requirements: [], nodeClassRef: { group: "scripted.example", kind: "ScriptedClass", name: "n" } },
  status: { providerID: `aws:///us-east-1a/${id}` },
});

/** A cluster that remembers deletions, as a real one does. */
function worldWith(...ids: readonly string[]): ScriptedWorld {
  const world = new ScriptedWorld();
  world.view = { ...world.view, nodeClaims: ids.map(claimOf) };
  world.answer = (command) => {
    if (command.kind !== "delete-object") return { kind: "done" };
    const nodeClaims = world.view.nodeClaims.map((claim) =>
      claim.metadata.name === command.target.name
        ? { ...claim, metadata: { ...claim.metadata, deletionTimestamp: time } }
        : claim,
    );
    world.view = { ...world.view, nodeClaims };
    return { kind: "done" };
  };
  return world;
}

const handle = (world: ScriptedWorld, ...bodies: readonly string[]): Promise<InterruptionReport> =>
  handleInterruptions(
    bodies.map((body, i) => ({ id: `m${i}`, body })),
    { provider },
    world.ports,
  );
const deletions = (world: ScriptedWorld): readonly string[] =>
  world.applied.flatMap((command: Command) => (command.kind === "delete-object" ? [command.target.name] : [])).sort();

describe("row 42: what cannot be read is acknowledged, counted and told", () => {
  test.each([
    ["abcd", "malformed"],
    ['""', "malformed"],
    ["", "malformed"],
    ["null", "malformed"],
    ["[]", "malformed"],
    ["{}", "malformed"],
    ["x".repeat(256 * 1024), "malformed"],
    [event("aws.ec2", "EC2 Spot Instance Interruption Warning", {}), "malformed"],
    [event("aws.ec2", "EC2 Spot Instance Interruption Warning", { "instance-id": "i-1" }, "1"), "unknown"],
    [event("aws.ec2", "EC2 Something New", { "instance-id": "i-1" }), "unknown"],
  ])("%.40s", async (body, kind) => {
    const world = worldWith("i-1");
    const report = await handle(world, body);
    expect(report).toMatchObject({ failed: [], acted: false, counts: { [kind]: 1 } });
    expect(report.ignored).toHaveLength(1);
    expect(report.ignored[0]?.length).toBeLessThan(300);
    expect(world.looks).toBe(0);
  });
});

describe("row 43: of the health events only EC2's scheduled changes act", () => {
  test.each([
    ["another service", health("ES", "scheduledChange", "i-1")],
    ["an issue", health("EC2", "issue", "i-1")],
  ])("%s is acknowledged", async (_, body) => {
    const world = worldWith("i-1");
    expect(await handle(world, body)).toMatchObject({ failed: [], counts: { foreign: 1 } });
    expect(world.looks).toBe(0);
  });

  test("a change that affects three instances deletes three claims", async () => {
    const world = worldWith("i-1", "i-2", "i-3");
    await handle(world, health("EC2", "scheduledChange", "i-1", "i-2", "i-3"));
    expect(deletions(world)).toEqual(["claim-i-1", "claim-i-2", "claim-i-3"]);
  });
});

describe("row 44: foreign instances", () => {
  test("are acknowledged at once after one list of claims, and nothing else is asked", async () => {
    const world = worldWith("i-1");
    const bodies = Array.from({ length: 10 }, (_, i) => stateChange(`i-foreign${i}`, "stopping"));
    expect(await handle(world, ...bodies)).toMatchObject({ failed: [], acted: false, steps: [] });
    expect(world.scopes).toEqual(["claims"]);
  });

  test("two clusters hear the same warning, and one acts", async () => {
    const [own, other] = [worldWith("i-1"), worldWith("i-2")];
    for (const world of [own, other]) await handle(world, warning("i-1"));
    expect([deletions(own), deletions(other)]).toEqual([["claim-i-1"], []]);
  });

  test("10,000 of them cost a list a batch", async () => {
    const world = worldWith("i-1");
    for (let batch = 0; batch < 1_000; batch++) {
      const bodies = Array.from({ length: 10 }, (_, i) => stateChange(`i-f${batch}x${i}`, "terminated"));
      expect((await handle(world, ...bodies)).failed).toEqual([]);
    }
    expect(world.scopes.filter((scope) => scope === "claims")).toHaveLength(1_000);
    expect(world.scopes).toHaveLength(1_000);
    expect(world.applied).toEqual([]);
  });
});

describe("row 45: a cluster that fails", () => {
  const refusal = { kind: "failed", fault: { kind: "unavailable", code: "500", message: "etcd" } } as const;

  test("a write that fails returns its record and no other", async () => {
    const world = worldWith("i-1", "i-2", "i-3");
    const usual = world.answer;
    world.answer = (command) =>
      command.kind === "patch-metadata" && command.target.name === "claim-i-2" ? refusal : usual(command);
    const report = await handle(world, warning("i-1"), warning("i-2"), warning("i-3"));
    expect(report.failed).toEqual(["m1"]);
    expect(deletions(world)).toEqual(["claim-i-1", "claim-i-3"]);
  });

  test("a claim that is gone is acknowledged", async () => {
    const world = worldWith("i-1");
    world.answer = () => ({ kind: "failed", fault: { kind: "not-found", code: "404", message: "" } });
    expect((await handle(world, stateChange("i-1", "terminated"))).failed).toEqual([]);
  });

  test("a look that fails returns what it concerns, and acknowledges the rest", async () => {
    const world = worldWith("i-1");
    const cluster = { ...world.ports.cluster, observe: () => Promise.reject(new Error("no route to the API server")) };
    const messages = [warning("i-1"), "abcd"].map((body, i) => ({ id: `m${i}`, body }));
    const report = await handleInterruptions(messages, { provider }, { cluster, clock: world.clock });
    expect(report).toMatchObject({ failed: ["m0"], acted: false, unreadable: "no route to the API server" });
  });

  test("nothing is begun for which no time is left", async () => {
    const world = worldWith("i-1");
    const messages = [{ id: "m0", body: warning("i-1") }];
    const report = await handleInterruptions(messages, { provider }, world.ports, 4_000);
    expect(report.failed).toEqual(["m0"]);
    expect(world.applied).toEqual([]);
  });
});

test("row 47: 50 warnings at 200 ms a call are all marked within 5 s", async () => {
  const ids = Array.from({ length: 50 }, (_, i) => `i-${i}`);
  const world = worldWith(...ids);
  const callMs = 200;
  const { clock } = world;
  const wait = () => clock.sleepUntil(clock.nowMs() + callMs);
  const deletedAtMs: number[] = [];
  const cluster = {
    ...world.ports.cluster,
    observe: async (scope: Parameters<typeof world.ports.cluster.observe>[0]) => {
      await wait();
      return world.ports.cluster.observe(scope);
    },
    apply: async (command: Parameters<typeof world.ports.cluster.apply>[0]) => {
      await wait();
      if (command.kind === "delete-object") deletedAtMs.push(clock.nowMs());
      return world.ports.cluster.apply(command);
    },
  };
  const messages = ids.map((id) => ({ id, body: warning(id) }));
  let report: InterruptionReport | undefined;
  clock.spawn(async () => {
    report = await handleInterruptions(messages, { provider }, { cluster, clock });
  });
  await clock.runUntil(60_000);
  expect(report?.failed).toEqual([]);
  expect(deletedAtMs).toHaveLength(50);
  expect(Math.max(...deletedAtMs)).toBeLessThan(5_000);
});

describe("row 49: each message twice, in all orders", () => {
  const messages = [warning("i-1"), stateChange("i-1", "stopping"), stateChange("i-1", "terminated")];
  const orders = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ];

  test.each(orders)("%i %i %i: one deletion, one event of it", async (...order) => {
    const world = worldWith("i-1");
    for (const index of order.flatMap((one) => [one, one])) await handle(world, messages[index] ?? "");
    expect(deletions(world)).toEqual(["claim-i-1"]);
    const events = world.applied.flatMap((command) => (command.kind === "record-event" ? [command.reason] : []));
    expect(events.filter((reason) => reason === "TerminatingOnInterruption")).toHaveLength(1);
  });
});
