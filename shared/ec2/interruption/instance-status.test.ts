import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Decision } from "#core/decision.ts";
import { claimOf, nowMs, resolvedClass, snapshotOf } from "../../../test/support/ec2-world.ts";
import { ec2Provider } from "../provider.ts";
import type { InstanceStatus } from "../view.ts";

const minuteMs = 60_000;
const claim: NodeClaim = { ...claimOf(), status: { providerID: "aws:///us-east-1a/i-1" } };

function decide(statuses: readonly InstanceStatus[], of = claim): Decision {
  return ec2Provider.nodeClasses(snapshotOf({ nodeClasses: [resolvedClass()], nodeClaims: [of] }, { statuses }));
}

function said(statuses: readonly InstanceStatus[], of = claim) {
  return decide(statuses, of).commands.map((command) =>
    command.kind === "patch-metadata" ? Object.keys(command.annotations ?? {}).join() : command.kind,
  );
}

const deadline = "karpenter.sh/nodeclaim-termination-timestamp";

describe("a failed check", () => {
  test("deletes the claim without a drain once it has failed for two minutes", () => {
    const failed = (sinceMs: number): InstanceStatus => ({
      instanceId: "i-1",
      systemFailedSinceMs: sinceMs,
      events: [],
    });
    expect(said([failed(nowMs - 2 * minuteMs + 1)])).toEqual([]);
    expect(said([failed(nowMs - 2 * minuteMs)])).toEqual([deadline, "delete-object"]);
    expect(decide([failed(0)]).reasons.map(({ data }) => data?.cause)).toContain("system_status");
  });

  test("of the instance counts as well, and one deletion is enough for both", () => {
    const both = { instanceId: "i-1", instanceFailedSinceMs: 0, systemFailedSinceMs: 0, events: [] };
    expect(said([both])).toEqual([deadline, "delete-object"]);
  });
});

test("a scheduled event deletes the claim, and its pods are drained as always", () => {
  expect(said([{ instanceId: "i-1", events: ["instance-retirement"] }])).toEqual(["delete-object"]);
});

test("others' instances and claims on their way out change nothing", () => {
  const event = { instanceId: "i-9", events: ["instance-stop"] };
  expect(said([event])).toEqual([]);
  const leaving = { ...claim, metadata: { ...claim.metadata, deletionTimestamp: "2026-11-30T12:00:00Z" } };
  expect(said([{ ...event, instanceId: "i-1" }], leaving)).toEqual([]);
});
