import { describe, expect, test } from "vitest";
import type { Deployment } from "#api/core-v1/workload.ts";
import { rollout, shareOf } from "./rollout.ts";

function deployment(replicas: number, strategy?: object): Deployment {
  const template = { spec: { containers: [] } };
  const spec = { replicas, selector: {}, template, ...(strategy === undefined ? {} : { strategy }) };
  return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec };
}

const set = (name: string, wanted: number, available = wanted) => ({ name, wanted, existing: wanted, available });

describe("rollout", () => {
  test("with one ReplicaSet it takes the deployment's number", () => {
    expect(rollout(deployment(5), set("new", 2), [])).toEqual([{ name: "new", replicas: 5 }]);
    expect(rollout(deployment(5), set("new", 5), [set("old", 0)])).toEqual([]);
  });

  test("rolling: a quarter more at once, and a quarter fewer available", () => {
    // 4 replicas: 5 pods at most, 3 available at least.
    expect(rollout(deployment(4), set("new", 0), [set("old", 4)])).toEqual([
      { name: "new", replicas: 1 },
      { name: "old", replicas: 3 },
    ]);
    expect(rollout(deployment(4), set("new", 1, 0), [set("old", 3)])).toEqual([{ name: "new", replicas: 2 }]);
    expect(rollout(deployment(4), set("new", 2, 2), [set("old", 3)])).toEqual([{ name: "old", replicas: 1 }]);
  });

  test("rolling: old pods that are not available go first", () => {
    const scales = rollout(deployment(4), set("new", 1, 0), [set("broken", 2, 0), set("old", 2)]);
    expect(scales).toContainEqual({ name: "broken", replicas: 1 });
    expect(scales.map(({ name }) => name)).not.toContain("old");
  });

  test("maxSurge 0 and maxUnavailable 0 would never end: one may be missing", () => {
    const strategy = { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } };
    expect(rollout(deployment(2, strategy), set("new", 0), [set("old", 2)])).toEqual([{ name: "old", replicas: 1 }]);
  });

  test("recreate: the new pods come when the old ones are gone", () => {
    const strategy = { type: "Recreate" };
    expect(rollout(deployment(2, strategy), set("new", 0), [set("old", 2)])).toEqual([{ name: "old", replicas: 0 }]);
    const leaving = { name: "old", wanted: 0, existing: 1, available: 0 };
    expect(rollout(deployment(2, strategy), set("new", 0), [leaving])).toEqual([]);
    expect(rollout(deployment(2, strategy), set("new", 0), [set("old", 0)])).toEqual([{ name: "new", replicas: 2 }]);
  });
});

describe("shareOf", () => {
  test.each([
    [3, 10, Math.ceil, 3],
    ["25%", 10, Math.ceil, 3],
    ["25%", 10, Math.floor, 2],
    ["100%", 7, Math.ceil, 7],
    ["0%", 7, Math.ceil, 0],
  ] as const)("%s of %d", (share, replicas, round, expected) => {
    expect(shareOf(share, replicas, round)).toBe(expected);
  });
});
