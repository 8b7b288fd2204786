import { expect, test } from "vitest";
import type { Reason } from "#core/reason.ts";
import { claimOf, condition, snapshotOf } from "../../test/support/lifecycle-samples.ts";
import type { Look } from "../plan/decide.ts";
import { endingsOf } from "./first-tick.ts";

const claims = [claimOf("old", { status: { conditions: [condition("Drifted", "True")] } }), claimOf("new")];

function told(...reasons: readonly (readonly [string, Reason["code"]])[]): readonly string[] {
  const look = {
    observed: snapshotOf({ nodeClaims: claims }) as never,
    reasons: reasons.map(([name, code]) => ({ about: { kind: "NodeClaim" as const, name }, code, message: "why" })),
  } satisfies Pick<Look, "observed" | "reasons">;
  return endingsOf(look);
}

test("a drift that was there before is Karpenter's; a new one stops the handover", () => {
  expect(told(["old", "claim-drifted"], ["new", "claim-drifted"])).toEqual(["NodeClaim/new: why"]);
});

test("so does a claim that would be deleted, and an instance that would be collected", () => {
  expect(told(["old", "claim-deleted"], ["i-1", "instance-collected"])).toEqual([
    "NodeClaim/old: why",
    "NodeClaim/i-1: why",
  ]);
});

test("new nodes for pods that wait, and consolidation, are what Karpenter would do too", () => {
  expect(told(["new", "claim-created"], ["new", "node-disrupted"])).toEqual([]);
});
