import { expect, test } from "vitest";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { claimOf, minuteMs, poolOf, snapshotOf } from "../../../test/support/lifecycle-samples.ts";
import { conditionOf } from "../condition.ts";
import type { Fault } from "../fault.ts";
import type { Outcome } from "../outcome.ts";
import { forgottenRefusal, launchRefusals } from "./launch-refusals.ts";

const remedy = "no role; once an account: aws iam create-service-linked-role --aws-service-name spot.amazonaws.com";
const noSpotRole: Fault = {
  kind: "insufficient-capacity",
  code: "AuthFailure.ServiceLinkedRoleCreationNotPermitted",
  reason: "SpotSLRCreationFailed",
  message: remedy,
};
const launched: Outcome = { kind: "done" };

/** The pool after launches of one claim each: capacity type and what it was answered. */
function after(nodePool: NodePool, ...answers: readonly (readonly [string, Fault | Outcome])[]): NodePool {
  const labels = { "karpenter.sh/nodepool": nodePool.metadata.name };
  const claims = answers.map((_, index) => claimOf(`c${index}`, { labels }));
  const steps = answers.map(([capacityType, answer], index) => ({
    stage: "launch",
    command: {
      kind: "launch-instance" as const,
      ...{ nodeClaim: `c${index}`, nodeClaimUid: claims[index]?.metadata.uid ?? "" },
      ...{ attempt: 1, token: "t", capacityType, options: [], tags: {} },
    },
    outcome: "code" in answer ? ({ kind: "failed", fault: answer } as const) : answer,
  }));
  const snapshot = snapshotOf({ nodePools: [nodePool], nodeClaims: claims });
  const { commands } = launchRefusals({ ...snapshot, nowMs: snapshot.nowMs + minuteMs }, steps);
  expect(commands.length).toBeLessThanOrEqual(1);
  const [patch] = commands;
  return patch?.kind === "patch-status" ? { ...nodePool, status: { ...nodePool.status, ...patch.status } } : nodePool;
}

const told = (nodePool: NodePool): unknown => conditionOf(nodePool, "LaunchesAllowed");
const refused = after(poolOf(), ["spot", noSpotRole], ["spot", noSpotRole]);

test("a missing spot role is told on the pool, with the command that makes it", () => {
  expect(told(refused)).toMatchObject({
    status: "False",
    reason: "SpotSLRCreationFailed",
    message: `spot launches are refused: ${remedy}`,
  });
});

test("it stays while on-demand instances are launched in place of spot, and goes with the first spot instance", () => {
  const onDemand = after(refused, ["on-demand", launched]);
  expect(onDemand).toBe(refused);
  expect(told(after(onDemand, ["spot", launched]))).toBeUndefined();
});

test("told once: the same refusal in other words, or one of another capacity type beside it, writes nothing", () => {
  expect(after(refused, ["spot", { ...noSpotRole, message: `${remedy} (and 3 other offerings)` }])).toBe(refused);
  const limit: Fault = { ...noSpotRole, reason: "VCPULimitExceeded", message: "limit of 32" };
  expect(after(refused, ["on-demand", limit])).toBe(refused);
  expect(told(after(refused, ["spot", limit]))).toMatchObject({ reason: "VCPULimitExceeded" });
});

test("a plain shortage and a throttled call are nothing to mend", () => {
  const pool = poolOf();
  expect(
    after(pool, ["spot", { kind: "insufficient-capacity", code: "InsufficientInstanceCapacity", message: "" }]),
  ).toBe(pool);
  expect(after(pool, ["spot", { kind: "throttled", code: "x", reason: "RequestLimitExceeded", message: "" }])).toBe(
    pool,
  );
});

test("a changed pool or class forgets it", () => {
  expect(forgottenRefusal(refused, false)).toEqual([]);
  expect(forgottenRefusal(refused, true)).toEqual([{ type: "LaunchesAllowed" }]);
  const changed = { ...refused, metadata: { ...refused.metadata, generation: 7 } };
  expect(forgottenRefusal(changed, false)).toEqual([{ type: "LaunchesAllowed" }]);
  expect(forgottenRefusal(poolOf(), true)).toEqual([]);
});
