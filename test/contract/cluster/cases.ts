import { expect, test } from "vitest";
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { FaultKind } from "#core/fault.ts";
import type { Outcome } from "#core/outcome.ts";
import type { ClusterUnderTest, Reply } from "../cluster-under-test.ts";

export type MakeCluster = () => Promise<ClusterUnderTest>;

/** One case: a rule as a sentence, tried on a cluster of its own or on a shared one under its own names. */
export function contractTest(
  makeCluster: MakeCluster,
  rule: string,
  body: (it: ClusterUnderTest) => Promise<void>,
): void {
  test(rule, async () => {
    const it = await makeCluster();
    await it.run(() => body(it));
  });
}

/** The object of an outcome that must be a success that holds one. */
export function objectOf(outcome: Outcome): KubeObject {
  expect(outcome).toMatchObject({ kind: "done" });
  if (outcome.kind !== "done" || outcome.object === undefined) throw new Error("the outcome holds no object");
  return outcome.object;
}

export function expectFault(outcome: Outcome, kind: FaultKind): void {
  expect(outcome).toMatchObject({ kind: "failed", fault: { kind } });
}

export function stored<T>(reply: Reply<T>): T {
  if (reply.kind === "refused") throw new Error(`${reply.code} ${reply.message}`);
  return reply.object;
}
