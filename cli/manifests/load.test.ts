import { describe, expect, test } from "vitest";
import type { BadManifests, Manifests } from "./load.ts";
import { loadManifests } from "./load.ts";
import { problemText } from "./problem.ts";

const load = (text: string): Manifests | BadManifests => loadManifests(["-"], { readStdin: () => Buffer.from(text) });
const problems = (text: string): readonly string[] => {
  const loaded = load(text);
  return loaded.kind === "problems" ? loaded.problems.map(problemText) : [];
};
const names = (text: string): readonly string[] => {
  const loaded = load(text);
  return loaded.kind === "manifests"
    ? loaded.objects.map(({ object, line }) => `${line} ${object.kind}/${object.metadata.name}`)
    : loaded.problems.map(problemText);
};

const pod = (name: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec: {containers: [{name: c, image: i}]}\n`;

describe("loadManifests", () => {
  test("reads several documents, and lists as kubectl writes them", () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: a}\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: b}\n`;
    expect(names(`${pod("p")}---\n${list}`)).toEqual(["1 Pod/p", "9 Namespace/a", "12 Namespace/b"]);
  });

  test("reads JSON, one object after the other too", () => {
    expect(
      names(
        '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}\n{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"b"}}',
      ),
    ).toEqual(["1 Namespace/a", "2 Namespace/b"]);
  });

  test("fills in the defaults of the API server", () => {
    const loaded = load(pod("p"));
    expect(loaded.kind === "manifests" && loaded.objects[0]?.object.metadata.namespace).toBe("default");
  });

  test("counts kinds that it does not read, and hands over those that the core answers", () => {
    const loaded = load(
      `apiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: t}\n---\napiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata: {name: o}\nspec: {}\n`,
    );
    expect(loaded.kind === "manifests" && loaded.unknownKinds).toEqual([
      { apiVersion: "v1", kind: "Service", count: 2 },
    ]);
    expect(loaded.kind === "manifests" && loaded.objects.map(({ object }) => object.kind)).toEqual(["NodeOverlay"]);
  });

  test("tells every problem of every document with file, line, object and field, and uses nothing", () => {
    const bad = `apiVersion: v1
kind: Pod
metadata:
  name: p
spec:
  containers:
    - name: c
      resources:
        requests:
          cpu: lots
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
spec:
  template:
    spec:
      requirements:
        - key: karpenter.sh/capacity-type
          operator: in
          values: ["spot"]
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: default
---
apiVersion: v1
`;
    const told = problems(bad);
    expect(told[0]).toMatch(/^stdin:10: Pod\/p: spec\.containers\[0\]\.resources\.requests.*cpu.*: .*lots/);
    expect(told[1]).toMatch(/^stdin:21: NodePool\/default: spec\.template\.spec\.requirements\[0\]\.operator: .*In/);
    expect(told[2]).toMatch(/^stdin:28: kind: is required/);
    expect(told).toHaveLength(3);
  });

  test("an object that comes twice is told with both places", () => {
    expect(problems(`${pod("p")}---\n${pod("q")}---\n${pod("p")}`)).toEqual([
      "stdin:11: Pod/p: is in stdin:1 already (keep one of the two)",
    ]);
  });

  test("the same name in two namespaces is two objects", () => {
    const inNamespace = (namespace: string): string => pod("p").replace("name: p", `name: p, namespace: ${namespace}`);
    expect(names(`${inNamespace("a")}---\n${inNamespace("b")}`)).toEqual(["1 Pod/p", "6 Pod/p"]);
  });

  test("a problem in an item of a list has the item's line", () => {
    const list =
      "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Namespace\n  metadata:\n    name: Not_A_Name\n";
    expect(problems(list)[0]).toMatch(/^stdin:7: Namespace\/Not_A_Name: metadata\.name: /);
  });

  test("a scalar and a list are no manifests", () => {
    expect(problems("just text\n")[0]).toMatch(/^stdin:1: must be an object/);
    expect(problems("- a\n- b\n")[0]).toMatch(/^stdin:1: must be an object/);
  });

  test("nothing at all is a problem", () => {
    expect(problems("")).toEqual(["stdin: no manifest in it: it is empty"]);
  });
});
