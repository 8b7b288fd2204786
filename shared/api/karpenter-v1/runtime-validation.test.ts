import { describe, expect, test } from "vitest";
import type { Taint } from "../core-v1/pod.ts";
import { parseObject } from "../parse.ts";
import type { NodePool } from "./nodepool.ts";
import type { RequirementSpec } from "./requirement.ts";
import { requirementProblems, runtimeProblems } from "./runtime-validation.ts";

interface Parts {
  readonly requirements?: readonly RequirementSpec[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  readonly limits?: Readonly<Record<string, string>>;
}

/** A NodePool that passed the CRD: what is wrong with it is left to run time. */
function pool({ requirements = [], labels = {}, taints = [], startupTaints = [], limits = {} }: Parts): NodePool {
  const parsed = parseObject({
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      limits,
      template: {
        metadata: { labels },
        spec: {
          requirements,
          taints,
          startupTaints,
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
        },
      },
    },
  });
  if (parsed.kind !== "object" || parsed.objectKind !== "NodePool") throw new Error(JSON.stringify(parsed));
  return parsed.object;
}

const aws = { wellKnownLabels: ["karpenter.k8s.aws/instance-cpu"], restrictedDomains: ["karpenter.k8s.aws"] };
const capacityType = (values: readonly string[], minValues?: number): RequirementSpec => ({
  key: "karpenter.sh/capacity-type",
  operator: "In",
  values,
  ...(minValues === undefined ? {} : { minValues }),
});

describe("runtimeProblems", () => {
  test("a sound pool has none", () => {
    const sound = pool({
      requirements: [
        capacityType(["spot", "on-demand"]),
        { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
        { key: "beta.kubernetes.io/os", operator: "In", values: ["linux"] },
        { key: "karpenter.k8s.aws/instance-cpu", operator: "Gt", values: ["3"] },
        { key: "example.com/team", operator: "Exists" },
      ],
      labels: { team: "a", "node-restriction.kubernetes.io/x": "y" },
      taints: [
        { key: "a", value: "b", effect: "NoSchedule" },
        { key: "a", effect: "NoExecute" },
      ],
      limits: { cpu: "-1", memory: "1e3" },
    });
    expect(runtimeProblems(sound, aws)).toEqual([]);
  });

  test("the same key and effect twice is a problem, also across taints and startup taints", () => {
    const taint = (value: string): Taint => ({ key: "a", value, effect: "NoSchedule" });
    expect(runtimeProblems(pool({ taints: [taint("b")], startupTaints: [taint("c")] }))).toEqual([
      "startupTaints[0]: repeats a:NoSchedule of taints[0]",
    ]);
    expect(runtimeProblems(pool({ taints: [taint("b"), taint("b")] }))).toEqual([
      "taints[1]: repeats a:NoSchedule of taints[0]",
    ]);
  });

  test("values have the syntax of label values", () => {
    const problems = runtimeProblems(
      pool({ requirements: [{ key: "a", operator: "In", values: ["fine", "not fine"] }] }),
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('requirements[0]: value "not fine"');
  });

  test("names are no longer than Kubernetes lets them be", () => {
    const long = "x".repeat(64);
    expect(runtimeProblems(pool({ requirements: [{ key: long, operator: "Exists" }] }))).toHaveLength(1);
    expect(runtimeProblems(pool({ taints: [{ key: long, effect: "NoSchedule" }] }))).toHaveLength(1);
    expect(runtimeProblems(pool({ labels: { [long]: "a" } }))).toHaveLength(1);
  });

  test("a provider's domain is restricted, its known labels are not", () => {
    const requirements: RequirementSpec[] = [
      { key: "karpenter.k8s.aws/instance-cpu", operator: "Exists" },
      { key: "karpenter.k8s.aws/no-such-label", operator: "Exists" },
      { key: "x.karpenter.k8s.aws/y", operator: "Exists" },
      { key: "mykarpenter.k8s.aws/y", operator: "Exists" },
    ];
    expect(runtimeProblems(pool({ requirements }), aws)).toEqual([
      "requirements[1]: label karpenter.k8s.aws/no-such-label is restricted: karpenter.k8s.aws has no such label for users",
      "requirements[2]: label x.karpenter.k8s.aws/y is restricted: karpenter.k8s.aws has no such label for users",
    ]);
    expect(runtimeProblems(pool({ labels: { "karpenter.k8s.aws/mine": "a" } }), aws)).toHaveLength(1);
  });

  test("one known capacity type is enough, none is a problem", () => {
    expect(runtimeProblems(pool({ requirements: [capacityType(["spot", "sport"])] }))).toEqual([]);
    expect(runtimeProblems(pool({ requirements: [capacityType(["sport"])] }))).toEqual([
      "requirements[0]: must have one of reserved, spot, on-demand; got sport",
    ]);
  });

  test("minValues of the capacity type counts known ones", () => {
    expect(runtimeProblems(pool({ requirements: [capacityType(["spot", "on-demand"], 2)] }))).toEqual([]);
    expect(runtimeProblems(pool({ requirements: [capacityType(["spot", "sport"], 2)] }))).toEqual([
      "requirements[0]: minValues 2 needs as many known capacity types; has 1",
    ]);
  });

  test("a limit that no number can hold is named", () => {
    expect(runtimeProblems(pool({ limits: { cpu: "1e1.5" } }))).toEqual([
      'limits[cpu]: must be a quantity; got "1e1.5"',
    ]);
  });

  test("every problem is listed", () => {
    const requirements: RequirementSpec[] = [{ key: "a", operator: "In", values: ["!"] }, capacityType(["x"])];
    expect(runtimeProblems(pool({ requirements }))).toHaveLength(2);
  });
});

describe("requirementProblems", () => {
  test.each<[string, RequirementSpec, number]>([
    ["an operator that is none", { key: "a", operator: "in" as "In", values: ["b"] }, 1],
    ["In without values", { key: "a", operator: "In", values: [] }, 1],
    ["a bound that is no number", { key: "a", operator: "Gt", values: ["x"] }, 1],
    ["a negative bound", { key: "a", operator: "Lte", values: ["-1"] }, 2],
    ["more minValues than values", { key: "a", operator: "In", values: ["b"], minValues: 2 }, 1],
    ["the hostname", { key: "kubernetes.io/hostname", operator: "In", values: ["a"] }, 1],
    ["a label of karpenter.sh", { key: "karpenter.sh/initialized", operator: "Exists" }, 1],
    ["the pool, which pods may ask for", { key: "karpenter.sh/nodepool", operator: "In", values: ["a"] }, 0],
    ["an older name of the zone", { key: "failure-domain.beta.kubernetes.io/zone", operator: "In", values: ["a"] }, 0],
  ])("%s", (_, requirement, count) => {
    expect(requirementProblems(requirement)).toHaveLength(count);
  });
});
