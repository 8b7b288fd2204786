import { describe, expect, test } from "vitest";
import type { Json } from "#api/core-v1/meta.ts";
import { objectProblems, unreadablePods } from "./object-problem.ts";

const pod = { apiVersion: "v1", kind: "Pod" };
const found = [{ field: "spec.containers", message: "must be a list" }];
const metadata = { name: "odd", namespace: "default", uid: "u" };

const problemsOf = (raw: { readonly [key: string]: Json }, kind = pod) => objectProblems(kind, raw, found);

describe("what is known of an object that cannot be read", () => {
  test("its reference, as far as the metadata can be read", () => {
    expect(problemsOf({ metadata })[0]?.ref).toEqual({ kind: "Pod", ...metadata });
    expect(problemsOf({ metadata: { name: "odd", namespace: 3, uid: null } })[0]?.ref).toEqual({
      kind: "Pod",
      name: "odd",
    });
  });

  test("a node class by its provider's kind", () => {
    const [problem] = problemsOf(
      { metadata: { name: "c" } },
      { apiVersion: "karpenter.k8s.aws/v1", kind: "EC2NodeClass" },
    );
    expect(problem?.ref).toEqual({
      kind: "NodeClass",
      apiVersion: "karpenter.k8s.aws/v1",
      objectKind: "EC2NodeClass",
      name: "c",
    });
  });

  test.each([
    ["a node", { nodeName: "n" }, "n"],
    ["no node", {}, ""],
    ["an unreadable node", { nodeName: 7 }, undefined],
    ["an unreadable spec", "text", undefined],
    ["no spec", null, undefined],
  ] as const)("a pod on %s", (_, spec, nodeName) => {
    expect(problemsOf({ metadata, spec })[0]?.nodeName).toBe(nodeName);
  });

  test("an object of another kind is on no node", () => {
    expect(problemsOf({ metadata, spec: { nodeName: "n" } }, { apiVersion: "v1", kind: "Node" })[0]).not.toHaveProperty(
      "nodeName",
    );
  });
});

test("unreadable pods: each once, on their node, or somewhere when that cannot be told; those without a node not at all", () => {
  const two = [...found, { field: "spec.volumes", message: "must be a list" }];
  const named = (name: string) => ({ ...metadata, name });
  const problems = [
    ...objectProblems(pod, { metadata: named("here"), spec: { nodeName: "n" } }, two),
    ...objectProblems(pod, { metadata: named("pending"), spec: {} }, two),
    ...objectProblems(pod, { metadata: named("lost") }, two),
    ...objectProblems({ apiVersion: "v1", kind: "Node" }, { metadata: named("n") }, two),
  ];
  const { onNode, somewhere } = unreadablePods({ problems });
  expect([...onNode].map(([node, refs]) => [node, refs.map(({ name }) => name)])).toEqual([["n", ["here"]]]);
  expect(somewhere.map(({ name }) => name)).toEqual(["lost"]);
});
