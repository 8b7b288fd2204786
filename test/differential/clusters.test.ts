/** Does Karpenter save more? Every recorded cluster, each method; needs no Go. */
import { describe, expect, test } from "vitest";
import { disruptionModes } from "../../cli/solve/disrupt.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { compareCluster, violationsOf } from "./clusters/compare-cluster.ts";
import { karpentersMistakes } from "./clusters/mistakes.ts";
import { readClusters } from "./clusters/recorded-clusters.ts";

const recorded = readClusters();
const leastRecorded = 100;

describe.each(disruptionModes)("beside Karpenter's %s", (mode) => {
  test("ours breaks no rule and saves at least as much, whatever Karpenter's draw", () => {
    const findings = recorded.flatMap(({ name, problem, answers }) => {
      const theirs = answers[mode].map((command) => command ?? undefined);
      return compareCluster(problemOf(problem), mode, theirs).map(
        ({ rule, message }) => `${name}: ${rule}: ${message}`,
      );
    });
    const mistaken = karpentersMistakes.map((one) => `${one.cluster}: saves: ${one.mode}`);
    expect(findings.filter((text) => !mistaken.some((start) => text.startsWith(start))).join("\n")).toBe("");
  }, 120_000);

  test("Karpenter does something in many of the clusters", () => {
    const active = recorded.filter(({ answers }) => answers[mode].some((command) => command !== null));
    expect(active.length).toBeGreaterThan(recorded.length / 5);
  });
});

test("the recording is large", () => {
  expect(recorded.length).toBeGreaterThanOrEqual(leastRecorded);
});

test.each(karpentersMistakes)("Karpenter's command for $cluster breaks a rule: $why", ({ cluster, command, rule }) => {
  const problem = recorded.find(({ name }) => name === cluster)?.problem;
  expect(problem).toBeDefined();
  const violations = problem === undefined ? [] : violationsOf(problemOf(problem), command);
  expect(violations.map((one) => one.rule)).toContain(rule);
});
