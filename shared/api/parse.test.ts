import { describe, expect, test } from "vitest";
import { itemsOf, parseObject } from "./parse.ts";
import { formatProblem } from "./problem.ts";

function problemsOf(raw: unknown): readonly string[] {
  const parsed = parseObject(raw);
  return parsed.kind === "problems" ? parsed.problems.map(formatProblem) : [];
}

const nodePool = (requirements: unknown): unknown => ({
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "default" },
  spec: {
    template: {
      spec: { requirements, nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" } },
    },
  },
});

describe("parseObject", () => {
  test("names the field, what must be there and what was found", () => {
    const wrong = [{ key: "kubernetes.io/arch", operator: "in", values: ["amd64"] }];
    expect(problemsOf(nodePool(wrong))).toEqual([
      'spec.template.spec.requirements[0].operator: must be one of In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte; got "in"',
    ]);
  });

  test("names every problem of an object, not only the first", () => {
    const wrong = [
      { key: "a", operator: "in" },
      { operator: "In", values: [1] },
    ];
    expect(problemsOf(nodePool(wrong)).map((problem) => problem.split(": ")[0])).toEqual([
      "spec.template.spec.requirements[0].operator",
      "spec.template.spec.requirements[1].key",
      "spec.template.spec.requirements[1].values[0]",
    ]);
  });

  test("a problem has its path step by step, map keys whole", () => {
    const raw = { apiVersion: "v1", kind: "Node", metadata: { name: "n", labels: { "example.com/a.b": 1 } } };
    const parsed = parseObject(raw);
    expect(parsed.kind === "problems" && parsed.problems[0]).toEqual({
      field: "metadata.labels[example.com/a.b]",
      path: ["metadata", "labels", "example.com/a.b"],
      message: "must be a text (put it in quotes); got 1",
    });
  });

  test.each([
    [null, "must be an object with apiVersion and kind; got nothing"],
    [[], "must be an object with apiVersion and kind; got a list"],
    ["kind: Pod", 'must be an object with apiVersion and kind; got "kind: Pod"'],
    [{ kind: "Pod" }, "apiVersion: is required"],
    [{ apiVersion: "v1" }, "kind: is required"],
    [{ apiVersion: 1, kind: "Pod" }, "apiVersion: must be a text that is not empty; got 1"],
    [{ apiVersion: "v1", kind: "Pod" }, "metadata: is required"],
    [{ apiVersion: "v1", kind: "Namespace", metadata: {} }, "metadata.name: is required"],
    [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: 7 } },
      "metadata.name: must be a text (put a number in quotes); got 7",
    ],
  ])("an object without a head is a problem: %j", (raw, message) => {
    expect(problemsOf(raw)[0]).toBe(message);
  });
});

describe("kinds and what is kept", () => {
  test.each([
    ["karpenter.sh/v1beta1", "NodePool", "karpenter.sh/v1"],
    ["extensions/v1beta1", "Deployment", "apps/v1"],
    ["v1", "Deployment", "apps/v1"],
    ["policy/v1beta1", "PodDisruptionBudget", "policy/v1"],
  ])("%s %s is told its version", (apiVersion, kind, right) => {
    expect(problemsOf({ apiVersion, kind, metadata: { name: "a" } })).toEqual([
      `apiVersion: must be ${right} for a ${kind}; got "${apiVersion}"`,
    ]);
  });

  test.each([
    ["v1", "Service"],
    ["karpenter.sh/v1alpha1", "NodeOverlay"],
    ["example.com/v1", "NodePool"],
    ["v1", "constructor"],
  ])("%s %s is unknown, with its name", (apiVersion, kind) => {
    expect(parseObject({ apiVersion, kind, metadata: { name: "a", namespace: "b" } })).toEqual({
      kind: "unknown",
      apiVersion,
      objectKind: kind,
      objectName: "b/a",
    });
  });

  test("an unknown field of Karpenter's kinds is kept and gets a warning", () => {
    const parsed = parseObject({ ...(nodePool([]) as object), spec: { template: {}, consolidation: true } });
    expect(parsed.kind).toBe("problems");
    const { spec, ...rest } = nodePool([]) as { spec: object };
    const odd = parseObject({ ...rest, spec: { ...spec, consolidation: { enabled: true } } });
    if (odd.kind !== "object") throw new Error(odd.kind);
    expect(odd.object).toMatchObject({ spec: { consolidation: { enabled: true } } });
    expect(odd.warnings.map(formatProblem)).toEqual([
      "spec.consolidation: is not a field here and has no effect; known are template, disruption, limits, weight, replicas",
    ]);
  });

  test("keys that JavaScript's objects have are data like any other", () => {
    const raw = JSON.parse(
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"__proto__":"x","toString":null}}',
    );
    const parsed = parseObject(raw);
    if (parsed.kind !== "object" || parsed.objectKind !== "ConfigMap") throw new Error(parsed.kind);
    expect(Object.entries(parsed.object.data ?? {})).toEqual([["__proto__", "x"]]);
  });

  test("objects in a namespace are in default unless they say otherwise; others have none", () => {
    const namespaceOf = (raw: unknown): string | undefined => {
      const parsed = parseObject(raw);
      return parsed.kind === "object" ? parsed.object.metadata.namespace : "problem";
    };
    expect(namespaceOf({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } })).toBe("default");
    expect(namespaceOf({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "b" } })).toBe("b");
    expect(
      namespaceOf({ apiVersion: "v1", kind: "Namespace", metadata: { name: "a", namespace: "b" } }),
    ).toBeUndefined();
  });
});

describe("itemsOf", () => {
  test("a document that is no list is its own item", () => {
    expect(itemsOf({ kind: "Pod" })).toEqual([{ path: [], value: { kind: "Pod" } }]);
    expect(itemsOf(null)).toEqual([{ path: [], value: null }]);
  });

  test("a list gives its items and where they stand, lists in it unfolded", () => {
    const document = { kind: "List", items: [{ kind: "A" }, { kind: "List", items: [{ kind: "B" }, 1] }] };
    expect(itemsOf(document)).toEqual([
      { path: ["items", 0], value: { kind: "A" } },
      { path: ["items", 1, "items", 0], value: { kind: "B" } },
      { path: ["items", 1, "items", 1], value: 1 },
    ]);
  });

  test("items of a typed list get its kind when they have none", () => {
    const document = { apiVersion: "v1", kind: "PodList", items: [{ metadata: {} }] };
    expect(itemsOf(document)[0]?.value).toEqual({ apiVersion: "v1", kind: "Pod", metadata: {} });
  });

  test("an empty list has no items", () => {
    expect(itemsOf({ kind: "List", items: [] })).toEqual([]);
  });
});
