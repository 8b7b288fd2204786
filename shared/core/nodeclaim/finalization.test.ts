import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { launchAttemptAnnotation, launchAttemptTimeAnnotation } from "#api/outrigger-names.ts";
import {
  ago,
  claimOf,
  condition,
  instanceOf,
  nowMs,
  provider,
  snapshotOf,
} from "../../../test/support/lifecycle-samples.ts";
import { sampleStages } from "../../../test/support/sample-stages.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import type { FaultKind } from "../fault.ts";
import type { Step } from "../outcome.ts";
import { finalization } from "./finalization.ts";

const attempted = { [launchAttemptAnnotation]: "1", [launchAttemptTimeAnnotation]: ago(1_000) };

/** A deleted claim without an instance that it knows of, whose condition Launched has this reason. */
function deleted(reason: string): NodeClaim {
  return claimOf("a", {
    annotations: attempted,
    deletionTimestamp: ago(0),
    status: { conditions: [{ ...condition("Launched", "Unknown"), reason }] },
  });
}

function refused(claim: NodeClaim, kind: FaultKind): Step {
  const plan = provider.planLaunch(snapshotOf({}), claim, 1);
  if (plan.kind !== "launch") throw new Error("the sample provider always launches");
  return {
    stage: "launch",
    command: plan.launch,
    outcome: { kind: "failed", fault: { kind, code: kind, message: "" } },
  };
}

describe("a deleted claim that knows of no instance", () => {
  test.each([
    ["Launching", "insufficient-capacity", true],
    ["Launching", "unavailable", false],
    ["LaunchUnconfirmed", "insufficient-capacity", false],
    ["EarlierLaunchPossible", "insufficient-capacity", false],
  ] as const)("%s, and this tick's launch was answered %s: released %s", (reason, fault, isReleased) => {
    const claim = deleted(reason);
    const snapshot = snapshotOf({ nodeClaims: [claim] }, { steps: [refused(claim, fault)] });
    const { commands, reasons } = finalization(provider).decide(snapshot);
    expect(commands.map(({ kind }) => kind)).toEqual(isReleased ? ["patch-metadata"] : []);
    expect(reasons.map(({ code }) => code)).toEqual([isReleased ? "claim-terminated" : "claim-waiting"]);
  });

  test("a failure that Karpenter left on it is not the answer to our attempt: it waits for the hidden instance", async () => {
    const failedBefore = { conditions: [{ ...condition("Launched", "Unknown"), reason: "LaunchFailed" }] };
    const world = new SmallWorld(nowMs, { nodeClaims: [claimOf("a", { status: failedBefore })] });
    world.diesBefore = "launch-outcome";
    await world.tick(sampleStages);
    world.diesBefore = undefined;
    const hidden = world.instances.splice(0);
    expect(hidden).toHaveLength(1);
    await world.act("a person", [{ kind: "delete-object", target: { kind: "NodeClaim", name: "a" } }]);
    world.atMs += 5_000;
    await world.tick(sampleStages);
    expect(world.get("NodeClaim", "a")).toBeDefined();
    world.instances = [instanceOf("a")];
    await world.tick(sampleStages);
    expect(world.instances.map(({ state }) => state)).toEqual(["shutting-down"]);
  });
});
