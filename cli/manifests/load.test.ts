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
    ? loaded.objects.map(({ object, lineOf }) => `${lineOf()} ${object.kind}/${object.metadata.name}`)
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

  test("a large dump without problems is read about as fast as it is parsed: no line is looked up", () => {
    const item = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { text: "x".repeat(2_000) } };
    const items = Array.from({ length: 4_000 }, (_, i) => ({ ...item, metadata: { name: `c-${i}` } }));
    const startedMs = performance.now();
    const loaded = load(JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    expect(loaded.kind === "manifests" && loaded.objects).toHaveLength(4_000);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test("a problem far down in a large dump has its line", () => {
    const good = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c" },
      data: { text: "x".repeat(1_000_000) },
    };
    const items = Array.from({ length: 14 }, (_, i) => ({ ...good, metadata: { name: `c-${i}` } }));
    const bad = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "Not_A_Name" } };
    const text = JSON.stringify({ apiVersion: "v1", kind: "List", items: [...items, bad] }, null, 1);
    const line = text.split("\n").findIndex((one) => one.includes("Not_A_Name")) + 1;
    expect(problems(text)).toHaveLength(1);
    expect(problems(text)[0]).toMatch(new RegExp(`^stdin:${line}: ConfigMap/Not_A_Name: metadata[.]name`));
  });
});

describe("what loadManifests tells", () => {
  test("a field that Kubernetes does not know is told with its line and the one that is meant, and stops nothing", () => {
    const loaded = load(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeselector: {a: b}\n  hostIPC: true\n  containers:\n    - name: c\n      image: i\n      tty: true\n      resources:\n        request: {cpu: 1}\n",
    );
    expect(loaded.kind === "manifests" && loaded.warnings.map(problemText)).toEqual([
      "stdin:12: Pod/p: spec.containers[0].resources.request: is not a field here and has no effect; is requests meant?",
      "stdin:5: Pod/p: spec.nodeselector: is not a field here and has no effect; is nodeSelector meant?",
    ]);
  });

  test("a misspelt field is told beside the one that is missing for it", () => {
    expect(problems("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  container: [{name: c}]\n")).toEqual([
      "stdin:4: Pod/p: spec.containers: is required",
      "stdin:5: Pod/p: spec.container: is not a field here and has no effect; is containers meant?",
    ]);
  });

  test("kinds of Karpenter before 1.0 are refused with what took their place", () => {
    const old = (apiVersion: string, kind: string) =>
      `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: x}\n---\n`;
    const told = problems(
      old("karpenter.sh/v1alpha5", "Provisioner") +
        old("karpenter.k8s.aws/v1alpha1", "AWSNodeTemplate") +
        old("karpenter.sh/v1beta1", "NodePool"),
    );
    expect(told).toHaveLength(3);
    expect(told[0]).toMatch(
      /^stdin:1: Provisioner\/x: apiVersion: .*write it as a NodePool of karpenter[.]sh\/v1; outrigger convert rewrites it$/,
    );
    expect(told[1]).toMatch(
      /^stdin:5: .*write it as an EC2NodeClass of karpenter[.]k8s[.]aws\/v1; outrigger convert rewrites it$/,
    );
    expect(told[2]).toMatch(
      /^stdin:9: NodePool\/x: apiVersion: must be karpenter[.]sh\/v1.*; outrigger convert rewrites it$/,
    );
  });

  test("a List whose items are no list is a problem, one without items is empty", () => {
    expect(problems("apiVersion: v1\nkind: List\nitems: {}\n")).toEqual([
      "stdin:3: List: items: must be a list; got an object",
    ]);
    expect(problems("apiVersion: v1\nkind: List\n")).toEqual(["-: no manifests found"]);
  });

  test("nothing at all is a problem", () => {
    expect(problems("")).toEqual(["stdin: no manifest in it: it is empty"]);
  });
});
