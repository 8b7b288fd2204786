import { describe, expect, test } from "vitest";
import { claimOf, nodeOf, provider, snapshotOf, statusOf } from "../../../test/support/lifecycle-samples.ts";
import type { PatchStatus } from "../command.ts";
import type { Decision } from "../decision.ts";
import { lifecycle } from "./lifecycle.ts";

const requests = { cpu: "1", memory: "1Gi" };
const fresh = statusOf("a", "registered");

function decide(memory: string, status = fresh): Decision {
  const claim = claimOf("a", { spec: { resources: { requests } }, status });
  const node = nodeOf("a");
  const has = { ...node, status: { ...node.status, capacity: { ...node.status?.capacity, memory } } };
  return lifecycle(provider).decide(snapshotOf({ nodeClaims: [claim], nodes: [has] }));
}

function found({ commands }: Decision) {
  const patch = commands.find((command): command is PatchStatus => command.kind === "patch-status");
  const conditions = (patch?.status.conditions ?? []) as readonly { readonly type: string }[];
  return conditions.find(({ type }) => type === "ConsistentStateFound");
}

describe("a node that is not what was meant", () => {
  test("has less than nine tenths of what its claim was promised of a requested resource", () => {
    expect(found(decide("3690Mi"))).toMatchObject({ status: "True", reason: "ConsistentStateFound" });
    const little = decide("3680Mi");
    expect(found(little)).toMatchObject({
      ...{ status: "False", reason: "ConsistencyCheckFailed" },
      message: "Node node-a has 3680Mi of the resource memory where 4Gi was expected (89.8 %)",
    });
    expect(little.reasons).toContainEqual(
      expect.objectContaining({
        code: "claim-inconsistent",
        event: { type: "Warning", reason: "FailedConsistencyCheck" },
      }),
    );
  });

  test("is not ready for nothing: Ready does not depend on it", () => {
    const { commands } = decide("1Gi");
    const patch = commands.find((command): command is PatchStatus => command.kind === "patch-status");
    expect(patch?.status.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
  });

  test("is said once, and again when it is mended", () => {
    const conditions = (status: "True" | "False") =>
      statusOf("a", "initialized").conditions?.map((one) =>
        one.type === "ConsistentStateFound" ? { ...one, status } : one,
      ) ?? [];
    const status = { ...statusOf("a", "initialized"), conditions: conditions("False") };
    expect(found(decide("4Gi", status))).toMatchObject({ status: "True" });
    expect(decide("4Gi", { ...status, conditions: conditions("True") }).commands).toEqual([]);
  });

  test("is not judged by resources that nobody asked for", () => {
    const claim = claimOf("a", { spec: { resources: { requests: { cpu: "1" } } }, status: fresh });
    const node = nodeOf("a");
    const has = { ...node, status: { ...node.status, capacity: { cpu: "2", memory: "1Mi" } } };
    expect(found(lifecycle(provider).decide(snapshotOf({ nodeClaims: [claim], nodes: [has] })))).toMatchObject({
      status: "True",
    });
  });
});
