import { describe, expect, test } from "vitest";
import {
  ago,
  claimOf,
  instanceOf,
  minuteMs,
  nodeOf,
  nowMs,
  provider,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import type { Instance } from "../instance.ts";
import { claimGarbageCollection } from "./claim-garbage-collection.ts";

const stage = claimGarbageCollection(provider);

describe("claims whose instance is gone", () => {
  const decided = (
    cluster: Parameters<typeof snapshotOf>[0],
    instances: readonly Instance[] = [],
    incomplete: string[] = [],
  ) => stage.decide(snapshotOf(cluster, { instances, incomplete }));
  const deletions = (...input: Parameters<typeof decided>) =>
    decided(...input).commands.flatMap((c) => (c.kind === "delete-object" ? [c.target.name] : []));
  const registered = claimOf("a", { status: statusOf("a", "registered") });

  test("a registered claim is deleted when its Node is not Ready or missing, and kept while it is Ready", () => {
    expect(deletions({ nodeClaims: [registered] })).toEqual(["a"]);
    expect(deletions({ nodeClaims: [registered], nodes: [nodeOf("a", { ready: "False" })] })).toEqual(["a"]);
    expect(deletions({ nodeClaims: [registered], nodes: [nodeOf("a")] })).toEqual([]);
  });

  test("row 63: a young claim is never gone: EC2 may hide a new instance for a minute", () => {
    const young = claimOf("a", { status: statusOf("a", "registered", nowMs - minuteMs) });
    expect(deletions({ nodeClaims: [young] })).toEqual([]);
    const older = claimOf("a", { status: statusOf("a", "registered", nowMs - minuteMs - 1_000) });
    expect(deletions({ nodeClaims: [older] })).toEqual(["a"]);
  });

  test("a claim that never registered goes only when its instance is listed as terminated", () => {
    const launched = claimOf("a", { status: statusOf("a", "launched"), creationTimestamp: ago(11 * minuteMs) });
    expect(deletions({ nodeClaims: [launched] })).toEqual([]);
    expect(deletions({ nodeClaims: [launched] }, [instanceOf("a", { state: "terminated" })])).toEqual(["a"]);
  });

  test("rows 59, 63: an instance on its way out is not gone, and a partial read proves nothing", () => {
    expect(deletions({ nodeClaims: [registered] }, [instanceOf("a", { state: "shutting-down" })])).toEqual([]);
    expect(deletions({ nodeClaims: [registered] }, [], ["DescribeInstances"])).toEqual([]);
    expect(decided({}, [], ["DescribeInstances"]).reasons.map(({ code }) => code)).toEqual(["brake"]);
  });
});
