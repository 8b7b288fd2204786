import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { parseObject } from "#api/parse.ts";
import { conditionOf, leftNodePool } from "../../test/support/karpenter-objects.ts";
import { stateOfTestPod, testPod, testPool } from "./test-pod.ts";

function pool(
  name: string,
  change: { readonly weight?: number; readonly ready?: string; readonly taints?: readonly object[] },
) {
  const left = leftNodePool() as {
    readonly metadata: object;
    readonly spec: { readonly template: { readonly spec: object } };
  };
  const spec = { ...left.spec.template.spec, ...(change.taints === undefined ? {} : { taints: change.taints }) };
  const parsed = parseObject({
    ...left,
    metadata: { ...left.metadata, name },
    spec: {
      ...left.spec,
      template: { ...left.spec.template, spec },
      ...(change.weight === undefined ? {} : { weight: change.weight }),
    },
    status: { conditions: [conditionOf("Ready", change.ready ?? "True")] },
  });
  if (parsed.kind !== "object") throw new Error(JSON.stringify(parsed));
  return parsed.object as never;
}

describe("the pool that is tried", () => {
  test("is the Ready one of the greatest weight, then the first by name", () => {
    const pools = [pool("c", {}), pool("b", {}), pool("a", { weight: 50, ready: "False" })];
    expect(testPool({ nodePools: pools })?.metadata.name).toBe("b");
    expect(testPool({ nodePools: [...pools, pool("z", { weight: 10 })] })?.metadata.name).toBe("z");
  });

  test("is none where none is Ready", () => {
    expect(testPool({ nodePools: [pool("a", { ready: "Unknown" })] })).toBeUndefined();
  });
});

test("the pod bears the pool's taints and keeps away from nodes with pods other than daemons'", () => {
  const taints = [
    { key: "team", value: "red", effect: "NoSchedule" },
    { key: "gpu", effect: "NoExecute" },
  ];
  const manifest = testPod("t", pool("default", { taints }), "image");
  expect(manifest).toMatchObject({
    spec: {
      tolerations: [
        { key: "team", operator: "Equal", value: "red", effect: "NoSchedule" },
        { key: "gpu", operator: "Exists", effect: "NoExecute" },
      ],
    },
  });
  expect(JSON.stringify(manifest)).toContain('{"key":"controller-revision-hash","operator":"DoesNotExist"}');
  expect(parseObject(manifest)).toMatchObject({ kind: "object" });
});

test.each([
  [{ spec: { nodeName: "n" }, status: { phase: "Pending" } }, "is bound to node n and is Pending"],
  [{ spec: {}, status: {} }, "is not bound to a node"],
  [
    {
      spec: {},
      status: { conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }] },
    },
    "is not bound to a node: 0/3 nodes are available",
  ],
])("of %j it is said that it %s", (pod, words) => {
  expect(stateOfTestPod(pod as unknown as Pod)).toBe(words);
});
