import { describe, expect, test } from "vitest";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { condition, nowMs, poolOf } from "../../test/support/lifecycle-samples.ts";
import { statusPatch } from "./condition.ts";

const set = { root: "Ready", dependents: ["Valid"] };
const valid = { conditions: [{ type: "Valid", status: "True" }] } as const;

describe("the patch of a status", () => {
  test("is locked to the version that was read", () => {
    const patch = statusPatch("NodePool", poolOf("pool"), set, valid, nowMs);
    expect(patch?.target).toEqual({ kind: "NodePool", name: "pool", uid: "uid-pool-pool", resourceVersion: "1" });
    expect(patch?.status.conditions).toMatchObject([{ type: "Valid" }, { type: "Ready", status: "True" }]);
  });

  test("is none when the status says it already, and holds only what differs", () => {
    const conditions = [condition("Valid", "True"), condition("Ready", "True")];
    const pool = { ...poolOf("pool"), status: { nodes: 2, conditions } };
    expect(statusPatch("NodePool", pool, set, { ...valid, fields: { nodes: 2 } }, nowMs)).toBeUndefined();
    expect(statusPatch("NodePool", pool, set, { ...valid, fields: { nodes: 3 } }, nowMs)?.status).toEqual({ nodes: 3 });
  });

  test("names with null what is no longer in a map, since a merge patch would keep it", () => {
    const pool: NodePool = { ...poolOf("pool"), status: { resources: { cpu: "2", gpu: "1" } } };
    const change = { conditions: [], fields: { resources: { cpu: "4" } } };
    expect(statusPatch("NodePool", pool, set, change, nowMs)?.status).toEqual({ resources: { cpu: "4", gpu: null } });
  });

  test("leaves conditions alone when none changes, those that never were included", () => {
    expect(statusPatch("NodePool", poolOf("pool"), set, { conditions: [] }, nowMs)).toBeUndefined();
  });
});
