import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { ago, claimOf, nowMs, podOf, provider, snapshotOf, statusOf } from "../../../test/support/lifecycle-samples.ts";
import type { Step } from "../outcome.ts";
import { interruptionWait } from "./interruption-wait.ts";

const warned = (agoMs: number) =>
  claimOf("old", { deletionTimestamp: ago(agoMs), annotations: { "outrigger.dev/interrupted-at": ago(agoMs) } });
const replacement = (name: string, change: Parameters<typeof claimOf>[1] = {}) =>
  claimOf(name, { annotations: { "outrigger.dev/replaces": "other,old" }, ...change });
const ready = (name: string) => replacement(name, { status: statusOf(name, "initialized") });
const pods = [podOf("p", "old")];

function kindOf(claim: NodeClaim, others: readonly NodeClaim[], steps: readonly Step[] = []): string {
  return interruptionWait(claim, pods, snapshotOf({ nodeClaims: [claim, ...others] }, { steps })).kind;
}

function launchOf(claim: NodeClaim): Step {
  const plan = provider.planLaunch(snapshotOf({}), claim, 1);
  if (plan.kind !== "launch") throw new Error("the sample provider always launches");
  const fault = { kind: "insufficient-capacity", code: "x", message: "" } as const;
  return { stage: "launch", command: plan.launch, outcome: { kind: "failed", fault } };
}

describe("pods of an interrupted node", () => {
  test("wait while a replacement is on its way, and leave when every one is initialized", () => {
    expect(kindOf(warned(10_000), [replacement("new")])).toBe("waiting");
    expect(kindOf(warned(10_000), [ready("new"), replacement("newer")])).toBe("waiting");
    expect(kindOf(warned(10_000), [ready("new"), ready("newer")])).toBe("over");
  });

  test("leave at once when nothing replaces the node, or the claim was not interrupted", () => {
    expect(kindOf(warned(10_000), [])).toBe("over");
    expect(kindOf(claimOf("old", { deletionTimestamp: ago(0) }), [replacement("new")])).toBe("over");
  });

  test("wait another tick when a replacement's launch failed in this one", () => {
    const failed = replacement("new", { deletionTimestamp: ago(0) });
    expect(kindOf(warned(10_000), [failed])).toBe("over");
    expect(kindOf(warned(10_000), [failed], [launchOf(failed)])).toBe("waiting");
  });

  test.each([
    [30, 79_000, "waiting"],
    [30, 80_000, "over"],
    [60, 49_000, "waiting"],
    [60, 50_000, "over"],
    [600, 50_000, "over"],
    [0, 109_000, "waiting"],
    [0, 110_000, "over"],
  ])("with a grace of %d s they leave in time for it: %d ms after the warning it is %s", (grace, ageMs, kind) => {
    const slow = [podOf("p", "old", { spec: { terminationGracePeriodSeconds: grace } })];
    const claim = warned(ageMs);
    const snapshot = snapshotOf({ nodeClaims: [claim, replacement("new")] });
    expect(interruptionWait(claim, slow, snapshot).kind).toBe(kind);
  });

  test("a replacement for another claim with a longer name is not one for this", () => {
    const other = claimOf("new", { annotations: { "outrigger.dev/replaces": "old-2" } });
    expect(kindOf(warned(10_000), [other])).toBe("over");
  });

  test("without pods there is nothing to wait for, and the time to end the wait is told", () => {
    const claim = warned(10_000);
    const snapshot = snapshotOf({ nodeClaims: [claim, replacement("new")] });
    expect(interruptionWait(claim, [], snapshot).kind).toBe("over");
    expect(interruptionWait(claim, pods, snapshot)).toMatchObject({
      untilMs: nowMs + 70_000,
      againAtMs: nowMs + 20_000,
      replacements: ["new"],
    });
  });
});
