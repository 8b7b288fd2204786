import { describe, expect, test } from "vitest";
import type { Command } from "#core/command.ts";
import type { FaultKind } from "#core/fault.ts";
import type { Step } from "#core/outcome.ts";
import type { Reason } from "#core/reason.ts";
import { happeningsOf } from "./tick-happenings.ts";

const podReason = (name: string, message: string): Reason => ({
  about: { kind: "Pod", namespace: "default", name },
  code: "pod-unschedulable",
  message,
});
const failed = (command: Command, kind: FaultKind): Step => ({
  stage: "s",
  command,
  outcome: { kind: "failed", fault: { kind, code: "c", message: "the server's words" } },
});

describe("happeningsOf", () => {
  test("what is said of several objects alike is one line, at the first one's place", () => {
    const happenings = happeningsOf(
      [
        podReason("a", "no pool"),
        { about: { kind: "NodeClaim", name: "n" }, code: "claim-created", message: "for 2 pods" },
        podReason("b", "no pool"),
        podReason("c", "other"),
      ],
      [],
    );
    expect(happenings).toEqual([
      { kind: "waiting", message: "2 Pods (default/a and 1 more): no pool" },
      { kind: "decision", object: "NodeClaim/n", message: "for 2 pods" },
      { kind: "waiting", object: "Pod/default/c", message: "other" },
    ]);
  });

  test("node classes go by their own kind, and the fleet as a whole by none", () => {
    const about = { kind: "NodeClass", objectKind: "EC2NodeClass", name: "default" } as const;
    expect(
      happeningsOf(
        [
          { about, code: "node-class-not-ready", message: "no subnet" },
          { about: { kind: "NodeClaim", name: "*" }, code: "brake", message: "partial read" },
        ],
        [],
      ),
    ).toEqual([
      { kind: "trouble", object: "EC2NodeClass/default", message: "no subnet" },
      { kind: "trouble", message: "partial read" },
    ]);
  });

  test("what is said of a claim and its node alike is told of the claim", () => {
    const said = { code: "node-disrupted", message: "Disrupted: Empty" } as const;
    expect(
      happeningsOf(
        [
          { about: { kind: "Node", name: "ip" }, ...said },
          { about: { kind: "NodeClaim", name: "c" }, ...said },
        ],
        [],
      ),
    ).toEqual([{ kind: "disruption", object: "NodeClaim/c", message: "Disrupted: Empty" }]);
  });

  test("a pod that leaves a draining node is an eviction", () => {
    const about = { kind: "Pod", namespace: "default", name: "a" } as const;
    expect(happeningsOf([{ about, code: "node-draining", message: "Evicted from ip" }], [])).toEqual([
      { kind: "eviction", object: "Pod/default/a", message: "Evicted from ip" },
    ]);
  });

  test("calls that failed are trouble, unless that belongs to a healthy run", () => {
    const terminate: Command = { kind: "terminate-instance", instanceId: "i-1" };
    expect(happeningsOf([], [failed(terminate, "throttled"), failed(terminate, "not-found")])).toEqual([
      { kind: "trouble", message: "terminate-instance failed: the server's words" },
    ]);
  });
});
