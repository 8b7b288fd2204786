import { describe, expect, test } from "vitest";
import type { Command } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { Outcome } from "#core/outcome.ts";
import type { Reason } from "#core/reason.ts";
import { toldReasons } from "./told-reasons.ts";

const done: Outcome = { kind: "done" };
const failed = (kind: Fault["kind"], message: string): Outcome => ({
  kind: "failed",
  fault: { kind, code: kind === "forbidden" ? "403" : "409", message },
});
const claim = { kind: "NodeClaim", name: "default-a" } as const;
const create: Command = {
  kind: "create-node-claim",
  nodeClaim: {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name: "default-a" },
    spec: { requirements: [], nodeClassRef: { group: "g", kind: "K", name: "n" } },
  },
};
const created: Reason = { about: claim, code: "claim-created", message: "for 1 pod" };
const nominated: Reason = {
  about: { kind: "Pod", namespace: "default", name: "web" },
  code: "pod-placed-on-new-claim",
  message: "should schedule on a new node",
  onceWritten: claim,
  event: { type: "Normal", reason: "Nominated" },
};
const told = (outcome: Outcome): readonly Reason[] =>
  toldReasons([created, nominated], [create], [{ stage: "provisioning", command: create, outcome }]);

describe("reasons of commands that failed", () => {
  test("what came true is told as it was decided", () => {
    expect(told(done)).toEqual([created, nominated]);
  });

  test("a claim that could not be created is not told; its pod is unschedulable for that cause, and the fault is told once", () => {
    expect(told(failed("forbidden", "nodeclaims is forbidden"))).toEqual([
      {
        about: nominated.about,
        code: "pod-unschedulable",
        message: "NodeClaim default-a could not be created: 403 nodeclaims is forbidden",
        event: { type: "Warning", reason: "FailedScheduling" },
      },
      { about: claim, code: "write-failed", message: "create-node-claim: 403 nodeclaims is forbidden" },
    ]);
  });

  test("a conflict untells the reason without a word: the next look decides again", () => {
    const target = { kind: "Node", name: "n1" } as const;
    const command: Command = { kind: "delete-object", target };
    const reason: Reason = { about: target, code: "node-disrupted", message: "Empty" };
    const steps = [{ stage: "x", command, outcome: failed("conflict", "changed") }];
    expect(toldReasons([reason], [command], steps)).toEqual([]);
  });

  test("reasons about other objects stay", () => {
    const other: Reason = { about: { kind: "NodePool", name: "p" }, code: "pool-limit", message: "cpu 10 of 10" };
    const steps = [{ stage: "x", command: create, outcome: failed("forbidden", "no") }];
    expect(toldReasons([other], [create], steps)).toContainEqual(other);
  });
});
