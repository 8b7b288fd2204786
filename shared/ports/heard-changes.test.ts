import { describe, expect, test } from "vitest";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { HeardChanges } from "./heard-changes.ts";

const pod = (uid: string, nodeName?: string): KubeObject => {
  const spec = { containers: [], ...(nodeName === undefined ? {} : { nodeName }) };
  return { apiVersion: "v1", kind: "Pod", metadata: { name: uid, namespace: "default", uid }, ...{ spec } };
};
const node = (taintKey: string): KubeObject => {
  const spec = { taints: [{ key: taintKey, effect: "NoExecute" }] };
  return { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, ...{ spec } };
};
const joining = node("karpenter.sh/unregistered");
const pool: KubeObject = { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "p" } };

function heard(...objects: readonly (KubeObject | undefined)[]): HeardChanges {
  const changes = new HeardChanges();
  for (const object of objects) changes.hear(object);
  return changes;
}

describe("a wait for anything", () => {
  test.each([
    ["a pool", pool, "changed"],
    ["an object that is gone", undefined, "changed"],
    ["a new pod", pod("a"), "changed"],
    ["a node that is registered", node("team"), "changed"],
    ["a node that waits to be registered", joining, "joining"],
  ] as const)("ends once with %s", (_, object, woken) => {
    const changes = heard(object);
    expect([changes.take("anything"), changes.take("anything")]).toEqual([woken, undefined]);
  });

  test("tells of the pod first where both have come: others may follow it; of the node then", () => {
    const changes = heard(joining, pod("a"));
    expect([changes.take("anything"), changes.take("pending-pods")]).toEqual(["changed", "joining"]);
    expect(changes.take("anything")).toBeUndefined();
  });
});

describe("a wait for pending pods", () => {
  test("ends with one that was not heard of since the last look, and keeps what else has changed", () => {
    const changes = heard(pool, pod("bound", "n"));
    expect(changes.take("pending-pods")).toBeUndefined();
    changes.hear(pod("a"));
    expect(changes.take("pending-pods")).toBe("changed");
    changes.hear(pod("a"));
    expect(changes.take("pending-pods")).toBeUndefined();
    expect(changes.take("anything")).toBe("changed");
  });

  test("ends with a node that waits to be registered", () => {
    expect(heard(pool, joining).take("pending-pods")).toBe("joining");
  });
});

test("a look shows all that was heard: afterwards each pod is new again", () => {
  const changes = heard(pool, joining, pod("a"));
  changes.look();
  expect(changes.take("anything")).toBeUndefined();
  changes.hear(pod("a"));
  expect(changes.take("pending-pods")).toBe("changed");
});
