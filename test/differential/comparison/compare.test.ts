import { describe, expect, test } from "vitest";
import type { Problem } from "../../../cli/solve/problem.ts";
import { problemOf } from "../../../cli/solve/read-problem.ts";
import type { CheckedAnswer, CheckedClaim } from "../checker/answer.ts";
import { podName } from "../checker/claim-check.ts";
import { compare, type Solver } from "./compare.ts";
import { shrink } from "./shrink.ts";

const zones = ["a", "b"];
const sizes = [1, 2, 4, 8, 16];

function problem(count: number): Problem {
  return problemOf({
    nodePools: ["first", "second"].map((name) => ({
      metadata: { name },
      spec: { template: { spec: { requirements: [] } } },
    })),
    instanceTypes: sizes.map((cpu) => ({
      name: `size-${cpu}`,
      capacity: { cpu: String(cpu), pods: "50" },
      overhead: {},
      offerings: zones.map((zone) => ({ zone, capacityType: "on-demand", price: cpu })),
    })),
    pods: Array.from({ length: count }, (_, i) => ({
      metadata: { name: `p${i}` },
      spec: { containers: [{ name: "c", resources: { requests: { cpu: "1" } } }] },
    })),
  });
}

/** All the pods on one claim, and what is wrong with it. */
function together(
  of: Problem,
  flaw: (claim: CheckedClaim) => readonly CheckedClaim[] = (claim) => [claim],
): CheckedAnswer {
  const pods = of.pods.map(podName);
  const instanceTypes = sizes.filter((cpu) => cpu >= pods.length).map((cpu) => `size-${cpu}`);
  const nodeClaims = flaw({ nodePool: "first", requirements: [], instanceTypes, pods });
  const placed = new Set(nodeClaims.flatMap((claim) => claim.pods));
  const errors = pods.filter((name) => !placed.has(name)).map((name) => [name, "no room"]);
  return { nodeClaims, existingNodes: [], podErrors: Object.fromEntries(errors) };
}

const good: Solver = (of) => together(of);
const loses: Solver = (of) => together(of, (claim) => [{ ...claim, pods: claim.pods.slice(1) }]);
const wastes: Solver = (of) => together(of, (claim) => [{ ...claim, instanceTypes: ["size-16"] }]);
const narrows: Solver = (of) => together(of, (claim) => [{ ...claim, instanceTypes: claim.instanceTypes.slice(0, 1) }]);
const pins: Solver = (of) =>
  together(of, (claim) => [
    { ...claim, requirements: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["a"] }] },
  ]);
const squeezes: Solver = (of) => together(of, (claim) => [{ ...claim, instanceTypes: ["size-1"] }]);
const breaks: Solver = () => {
  throw new Error("broken");
};

describe("our answer beside Karpenter's", () => {
  test.each<[string, Solver, readonly string[]]>([
    ["agrees", good, []],
    ["loses a pod", loses, ["unplaced"]],
    ["takes a machine too large", wastes, ["cost", "flexibility"]],
    ["keeps one type only", narrows, ["flexibility"]],
    ["keeps one zone only", pins, ["flexibility"]],
    ["puts pods where they do not fit", squeezes, ["infeasible: resources", "unplaced"]],
    ["crashes", breaks, ["defect"]],
  ])("one that %s", (_, solver, rules) => {
    const of = problem(4);
    expect(compare(of, [together(of)], solver).map(({ rule }) => rule)).toEqual(rules);
  });

  test("pods that Karpenter places wrongly need no place", () => {
    const of = problem(4);
    const wrong = together(of, (claim) => [{ ...claim, instanceTypes: ["size-1"] }]);
    const none: Solver = (given) => together(given, () => []);
    expect(compare(of, [wrong], none)).toEqual([]);
  });

  test("pods that only we place do not count for the price", () => {
    const of = problem(4);
    const three = together(of, (claim) => [
      { ...claim, pods: claim.pods.slice(0, 2), instanceTypes: ["size-2", "size-4", "size-8"] },
    ]);
    expect(compare(of, [three], good)).toEqual([]);
  });

  test("of pods alike as many count as both place, whichever they are", () => {
    const of = problem(4);
    const [first = "", ...others] = of.pods.map(podName);
    const one = together(of, (claim) => [
      { ...claim, pods: [first], instanceTypes: sizes.map((cpu) => `size-${cpu}`) },
    ]);
    const dear: Solver = (given) =>
      together(given, (claim) =>
        claim.pods.length < 2
          ? [claim]
          : [
              { ...claim, pods: [first], instanceTypes: ["size-16"] },
              { ...claim, pods: others },
            ],
      );
    expect(compare(of, [one], dear).filter(({ rule }) => rule === "cost")).toEqual([]);
  });

  test("a run that places a pod wrongly has that room for others, also where we place one alike", () => {
    const of = problem(4);
    const names = of.pods.map(podName);
    const both = together(of, (claim) => [
      { ...claim, pods: names.slice(0, 1), instanceTypes: ["size-1"] },
      { ...claim, pods: names.slice(1, 3), instanceTypes: ["size-1"] },
    ]);
    const another: Solver = (given) =>
      together(given, (claim) => [
        { ...claim, pods: names.slice(3), instanceTypes: sizes.map((cpu) => `size-${cpu}`) },
      ]);
    expect(compare(of, [both], another)).toEqual([]);
  });

  test("a run that meets fewer preferences is no measure of the price", () => {
    const preference = {
      matchExpressions: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["size-16"] }],
    };
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] };
    const plain = problem(4);
    const wishing = (policy: "Respect" | "Ignore"): Problem => ({
      ...plain,
      options: { ...plain.options, preferencePolicy: policy },
      pods: problemOf({
        ...JSON.parse(JSON.stringify(plain)),
        pods: plain.pods.map(({ metadata, spec }) => ({ metadata, spec: { ...spec, affinity: { nodeAffinity } } })),
      }).pods,
    });
    const rulesOf = (of: Problem) => compare(of, [together(of)], wastes).map(({ rule }) => rule);
    expect(rulesOf(wishing("Respect"))).toEqual([]);
    expect(rulesOf(wishing("Ignore"))).toEqual(["cost", "flexibility"]);
  });

  test("of several runs the cheapest sets the price", () => {
    const of = problem(4);
    const dear = together(of, (claim) => [{ ...claim, instanceTypes: ["size-16"] }]);
    expect(compare(of, [dear, together(of)], wastes).map(({ rule }) => rule)).toContain("cost");
    expect(compare(of, [dear], wastes)).toEqual([]);
  });
});

describe("shrinking", () => {
  test("leaves what the difference needs and no more", () => {
    const of = problem(8);
    const small = shrink(of, [together(of)], "cost", wastes);
    expect(small?.finding.rule).toBe("cost");
    expect(small?.problem.pods).toHaveLength(1);
    expect(small?.problem.nodePools).toHaveLength(1);
    expect(small?.problem.instanceTypes).toHaveLength(2);
  });

  test("finds nothing where nothing differs", () => {
    const of = problem(3);
    expect(shrink(of, [together(of)], "cost", good)).toBeUndefined();
  });
});
