import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { handleInterruptions } from "#controllers/interruption.ts";
import type { MessageAnswer } from "#core/interruption-notice.ts";
import { rememberedInterruptions } from "#core/nodeclaim/remembered-interruptions.ts";
import { ScriptedWorld, scriptedProvider } from "../support/scripted-world.ts";

/** A message's body is the id of the instance that it warns of; anything else is of no interest. */
const readMessage = (body: unknown): MessageAnswer =>
  typeof body === "string" && body.startsWith("i-")
    ? { kind: "notices", notices: [{ kind: "stopping", instanceId: body }] }
    : { kind: "foreign", message: "not an instance" };
const provider = scriptedProvider(() => ({ commands: [], reasons: [] }), readMessage);

const claimOf = (instanceId: string): NodeClaim => ({
  apiVersion: "karpenter.sh/v1",
  kind: "NodeClaim",
  metadata: { name: `claim-${instanceId}`, uid: `uid-${instanceId}` },
  spec: { requirements: [], nodeClassRef: { group: "scripted.example", kind: "ScriptedClass", name: "n" } },
  status: { providerID: `x:///zone/${instanceId}` },
});

function worldWith(...instanceIds: readonly string[]): ScriptedWorld {
  const world = new ScriptedWorld();
  world.view = { ...world.view, nodeClaims: instanceIds.map(claimOf) };
  return world;
}
const batch = (...bodies: readonly unknown[]) => bodies.map((body, i) => ({ id: `m${i}`, body }));

describe("a batch of interruption messages", () => {
  test("foreign messages cost no look at the cluster and are counted", async () => {
    const world = worldWith("i-1");
    const report = await handleInterruptions(batch("abcd", "", null), { provider }, world.ports);
    expect(report).toMatchObject({ failed: [], acted: false, counts: { foreign: 3 } });
    expect(world.looks).toBe(0);
  });

  test("one look serves the whole batch; each claim is deleted once; foreign instances change nothing", async () => {
    const world = worldWith("i-1", "i-2");
    const report = await handleInterruptions(batch("i-1", "i-2", "i-1", "i-9"), { provider }, world.ports);
    expect(report).toMatchObject({ failed: [], acted: true, counts: { stopping: 4 } });
    expect(world.scopes).toEqual(["claims", "around-claims"]);
    const deleted = world.applied.flatMap((command) => (command.kind === "delete-object" ? [command.target.name] : []));
    expect(deleted.sort()).toEqual(["claim-i-1", "claim-i-2"]);
  });

  test("only the message whose write failed returns to the queue", async () => {
    const world = worldWith("i-1", "i-2", "i-3");
    world.answer = (command) =>
      command.kind === "delete-object" && command.target.name === "claim-i-2"
        ? { kind: "failed", fault: { kind: "unavailable", code: "500", message: "etcd" } }
        : { kind: "done" };
    const report = await handleInterruptions(batch("i-1", "i-2", "i-3"), { provider }, world.ports);
    expect(report.failed).toEqual(["m1"]);
    expect(report.decision.reasons.some(({ about }) => about.name === "claim-i-2" && about.kind === "NodeClaim")).toBe(
      true,
    );
    expect(report.decision.reasons.filter(({ code }) => code === "write-failed")).toHaveLength(1);
  });

  test("a message that may be about an instance not recorded yet is remembered, and the loop acts when it is", async () => {
    const world = worldWith("i-1");
    const launching = { ...claimOf("i-2"), status: {} };
    const annotations = { "outrigger.dev/launch-attempt": "1" };
    const claim = { ...launching, metadata: { ...launching.metadata, annotations } };
    world.view = { ...world.view, nodeClaims: [...world.view.nodeClaims, claim] };
    const timed = scriptedProvider(
      () => ({ commands: [], reasons: [] }),
      (body) => ({
        kind: "notices",
        notices: [{ kind: "terminated", instanceId: String(body), atMs: world.clock.nowMs() }],
      }),
    );
    const report = await handleInterruptions(batch("i-1", "i-2"), { provider: timed }, world.ports);
    expect(report).toMatchObject({ failed: [], acted: true });
    const [remembered] = world.applied.filter(({ kind }) => kind === "patch-state");
    expect(remembered).toEqual({ kind: "patch-state", data: { "interruption.i-2": "0 terminated" } });

    world.view = { ...world.view, nodeClaims: [claimOf("i-2")], state: { "interruption.i-2": "0 terminated" } };
    const stage = rememberedInterruptions(timed);
    const { commands } = stage.decide({ ...world.snapshot(), cluster: world.view });
    expect(commands).toMatchObject([
      { kind: "patch-state", data: { "interruption.i-2": null } },
      { kind: "delete-object", target: { name: "claim-i-2", uid: "uid-i-2" } },
    ]);
  });

  test("a claim that is gone, or was made anew under its name, is done with", async () => {
    const world = worldWith("i-1", "i-2");
    world.answer = (command) =>
      command.kind === "delete-object"
        ? {
            kind: "failed",
            fault: { kind: command.target.name === "claim-i-1" ? "not-found" : "conflict", code: "4xx", message: "" },
          }
        : { kind: "done" };
    const report = await handleInterruptions(batch("i-1", "i-2"), { provider }, world.ports);
    expect(report.failed).toEqual([]);
  });
});

test.each([
  ["alive", 1_000, []],
  ["expired", 60_000, ["claim-i-1"]],
] as const)("a batch beside a Karpenter with a lease that is %s", async (_, idleMs, wanted) => {
  const world = worldWith("i-1");
  const serverNowMs = Date.parse("2026-01-01T00:00:00Z");
  const lease = { holder: "karpenter-1", successor: "", renewedAtMs: serverNowMs - idleMs, durationMs: 15_000 };
  const records = [{ ...lease, transitions: 0, version: "1" }];
  const leases = { readKarpenter: async () => ({ kind: "read", records, serverNowMs }) as const };
  const report = await handleInterruptions(batch("i-1", "i-9"), { provider }, { ...world.ports, leases });
  const deleted = world.applied.flatMap((command) => (command.kind === "delete-object" ? [command.target.name] : []));
  expect([deleted, report.failed]).toEqual([wanted, []]);
  expect(report.ignored.join()).toMatch(wanted.length > 0 ? /^$/ : /holds its lease \(karpenter-1\)/);
});

describe("a batch of interruption messages during a pause", () => {
  test("while everything is paused nothing is written, and what concerns us returns to the queue", async () => {
    const world = worldWith("i-1");
    world.view = { ...world.view, state: { pause: "all" } };
    const report = await handleInterruptions(batch("i-9", "abcd", "i-1"), { provider }, world.ports);
    expect(report).toMatchObject({ failed: ["m2"], acted: false, held: true, steps: [] });
    expect(world.applied).toEqual([]);
  });

  test("during a voluntary pause, and after a pause of everything, it is acted on", async () => {
    for (const pause of ["voluntary", "all until 1969-12-31T23:59:59Z"]) {
      const world = worldWith("i-1");
      world.view = { ...world.view, state: { pause } };
      expect(await handleInterruptions(batch("i-1"), { provider }, world.ports)).toMatchObject({
        failed: [],
        acted: true,
      });
    }
  });
});
