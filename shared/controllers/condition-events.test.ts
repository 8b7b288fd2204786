import { expect, test } from "vitest";
import type { Condition } from "#api/core-v1/meta.ts";
import { lockedRefOf } from "#core/object-ref.ts";
import type { Outcome, Step } from "#core/outcome.ts";
import { emptyCluster } from "#core/snapshot.ts";
import { claimOf, condition, statusOf } from "../../test/support/lifecycle-samples.ts";
import { conditionTellings } from "./condition-events.ts";
import { eventsOf } from "./events.ts";

const claim = claimOf("a", { status: statusOf("a", "launched") });
const before = { ...emptyCluster, nodeClaims: [claim] };
const present = claim.status?.conditions ?? [];

function written(conditions: readonly Condition[], outcome: Outcome = { kind: "done" }): Step {
  const status = { conditions: conditions.map((one) => ({ ...one })) };
  const command = { kind: "patch-status", target: lockedRefOf("NodeClaim", claim), status } as const;
  return { stage: "lifecycle", command, outcome };
}

const told = (...steps: readonly Step[]) =>
  conditionTellings(before, steps).map(({ event, message }) => `${event?.type} ${event?.reason} ${message}`);
const draining: Condition = { ...condition("Drained", "Unknown"), reason: "Draining", message: "Pods are leaving" };

test("a condition that changes its status is an event of its name, with both and the reason", () => {
  const failed: Condition = { ...condition("Drifted", "True"), reason: "AMIDrift", message: "ami-1 is not wanted" };
  expect(told(written([...present, condition("Consolidatable", "True"), failed]))).toEqual([
    "Normal Consolidatable Consolidatable was Unknown and is True",
    "Normal Drifted Drifted was Unknown and is True (AMIDrift): ami-1 is not wanted",
  ]);
});

test("a condition that stays, begins as Unknown or goes is none, nor is one that could not be written", () => {
  expect(told(written(present), written([...present, draining]), written(present))).toEqual([]);
  const fault = { kind: "conflict", code: "409", message: "somebody else" } as const;
  expect(told(written([...present, condition("Drained", "True")], { kind: "failed", fault }))).toEqual([]);
});

test("two patches of one object are told one after the other, and back and forth are two events", () => {
  const steps = [
    written([...present, condition("Drifted", "True")]),
    written([...present, condition("Drifted", "False")]),
  ];
  expect(told(...steps)).toEqual([
    "Normal Drifted Drifted was Unknown and is True",
    "Normal Drifted Drifted was True and is False",
  ]);
  const names = eventsOf(conditionTellings(before, steps), 0, new Set()).map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
});
