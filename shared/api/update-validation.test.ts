import { expect, test } from "vitest";
import type { KubeObject } from "./core-v1/meta.ts";
import { parseObject } from "./parse.ts";
import { formatProblem } from "./problem.ts";
import { validateUpdate } from "./update-validation.ts";

function read(raw: unknown): KubeObject {
  const parsed = parseObject(raw);
  if (parsed.kind !== "object") throw new Error(JSON.stringify(parsed));
  return parsed.object;
}

const spec = { containers: [{ name: "a" }] };
const pod = (nodeName?: string): KubeObject =>
  read({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { ...spec, nodeName } });
const deployment = (labels: object, selector: object): KubeObject =>
  read({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "a" },
    spec: { selector: { matchLabels: selector }, template: { metadata: { labels }, spec } },
  });

test("a pod is bound once", () => {
  expect(validateUpdate(pod(), pod("n1"))).toEqual([]);
  expect(validateUpdate(pod("n1"), pod("n1"))).toEqual([]);
  expect(validateUpdate(pod("n1"), pod("n2")).map(formatProblem)).toEqual(["spec.nodeName: must stay n1"]);
  expect(validateUpdate(pod("n1"), pod()).map(formatProblem)).toEqual(["spec.nodeName: must stay n1"]);
});

test("a controller's selector does not change; its template does", () => {
  const before = deployment({ a: "1", b: "2" }, { a: "1" });
  expect(validateUpdate(before, deployment({ a: "1", b: "3" }, { a: "1" }))).toEqual([]);
  expect(validateUpdate(before, deployment({ a: "1", b: "2" }, { b: "2" })).map(formatProblem)).toEqual([
    "spec.selector: must not change",
  ]);
});

test("a kind of the same name in another group has no rules here", () => {
  const foreign = (replicas?: number): KubeObject & { readonly spec: object } => ({
    apiVersion: "example.com/v1",
    kind: "NodePool",
    metadata: { name: "a" },
    spec: { replicas },
  });
  expect(validateUpdate(foreign(1), foreign(2))).toEqual([]);
});
