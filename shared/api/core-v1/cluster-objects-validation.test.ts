import { describe, expect, test } from "vitest";
import { kinds } from "../kinds.ts";
import { parseObject } from "../parse.ts";
import { formatProblem } from "../problem.ts";

function read(kind: keyof typeof kinds, rest: object): unknown {
  const parsed = parseObject({ apiVersion: kinds[kind].apiVersion, kind, metadata: { name: "a" }, ...rest });
  if (parsed.kind === "unknown") throw new Error(kind);
  return parsed.kind === "object" ? parsed.object : parsed.problems.map(formatProblem).join("\n");
}

describe("PodDisruptionBudget", () => {
  test.each([0, 1, "0%", "33%", "100%"])("takes %s", (maxUnavailable) => {
    expect(read("PodDisruptionBudget", { spec: { maxUnavailable } })).toBeTypeOf("object");
  });

  test.each([-1, 1.5, "1", "101%", "-1%", true])("refuses %s", (minAvailable) => {
    expect(read("PodDisruptionBudget", { spec: { minAvailable } })).toMatch(
      /^spec.minAvailable: must be a number of pods/,
    );
  });

  test("takes one of the two bounds", () => {
    expect(read("PodDisruptionBudget", { spec: { minAvailable: 1, maxUnavailable: 1 } })).toMatch(
      /^spec.maxUnavailable: /,
    );
  });

  test("checks its selector", () => {
    const selector = { matchExpressions: [{ key: "a", operator: "In", values: [] }] };
    expect(read("PodDisruptionBudget", { spec: { selector } })).toMatch(
      /^spec.selector.matchExpressions\[0\].values: /,
    );
  });
});

describe("Node", () => {
  test("can allocate its capacity unless it says otherwise", () => {
    expect(read("Node", { status: { capacity: { cpu: 4 } } })).toMatchObject({ status: { allocatable: { cpu: "4" } } });
    const status = { capacity: { cpu: "4" }, allocatable: { cpu: "3920m" } };
    expect(read("Node", { status })).toMatchObject({ status });
  });

  test("has each taint once for each effect", () => {
    const taint = (effect: string): object => ({ key: "a", effect });
    expect(read("Node", { spec: { taints: [taint("NoSchedule"), taint("NoExecute")] } })).toBeTypeOf("object");
    expect(read("Node", { spec: { taints: [taint("NoSchedule"), taint("NoSchedule")] } })).toBe(
      "spec.taints[1]: must not repeat item 0 (a:NoSchedule)",
    );
  });

  test("may come without spec", () => {
    expect(read("Node", {})).toMatchObject({ spec: {} });
  });
});

describe("storage", () => {
  test("a class binds at once unless it says otherwise", () => {
    expect(read("StorageClass", { provisioner: "ebs.csi.aws.com" })).toMatchObject({ volumeBindingMode: "Immediate" });
    expect(read("StorageClass", {})).toBe("provisioner: is required");
    expect(read("StorageClass", { provisioner: "a", volumeBindingMode: "Later" })).toMatch(/^volumeBindingMode: /);
  });

  test("a node whose drivers are null has none", () => {
    expect(read("CSINode", { spec: { drivers: null } })).toMatchObject({ spec: { drivers: [] } });
  });

  test("a driver's count is a whole number", () => {
    const drivers = [{ name: "ebs.csi.aws.com", allocatable: { count: "27" } }];
    expect(read("CSINode", { spec: { drivers } })).toMatch(/^spec.drivers\[0\].allocatable.count: /);
  });

  test("an empty class of a claim is kept: it asks for a volume without class", () => {
    expect(read("PersistentVolumeClaim", { spec: { storageClassName: "", volumeName: "" } })).toMatchObject({
      spec: { storageClassName: "" },
    });
  });

  test("a volume's node affinity is checked", () => {
    const nodeAffinity = { required: { nodeSelectorTerms: [] } };
    expect(read("PersistentVolume", { spec: { nodeAffinity } })).toBe(
      "spec.nodeAffinity.required.nodeSelectorTerms: must have at least 1 item",
    );
  });
});

test("a priority is an int32 and preempts unless it says otherwise", () => {
  expect(read("PriorityClass", { value: -10 })).toMatchObject({ preemptionPolicy: "PreemptLowerPriority" });
  expect(read("PriorityClass", { value: 2 ** 31 })).toMatch(/^value: must be a whole number/);
});
