/** The search for a cheaper plan (shared/core/scheduling/improvement), asked by the independent checker. */
import { describe, expect, test } from "vitest";
import { planProvisioning } from "#core/provisioning/plan.ts";
import { placementOf } from "../../cli/solve/answer.ts";
import type { Placement, Problem } from "../../cli/solve/problem.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { posedProblem } from "../../cli/solve/snapshot.ts";
import { generatedMix } from "../bench/generated-mix.ts";
import { realWorkload } from "../bench/real-workloads.ts";
import { checkAnswer } from "./checker/check.ts";

const enough = { spot: 15, other: 5 };

function planned(problem: Problem, steps: number): Placement {
  const { snapshot, provider } = posedProblem(problem);
  const slices = [steps];
  const budget = { more: () => slices.shift() ?? 0, classesMost: 1 };
  return placementOf(planProvisioning(snapshot, provider, "strict", budget), problem, provider.nodeClass.label);
}

function priceOf({ nodeClaims }: Placement): number {
  return nodeClaims.reduce((sum, { cheapest }) => sum + (cheapest?.price ?? 0), 0);
}

const real = { pools: 4, apps: 10, pods: 60, seed: 5, spread: 0.5, apart: 0.3, dedicated: 0.4 };
const problems = {
  "a mix with every rule between pods": problemOf(JSON.parse(JSON.stringify(generatedMix(80, 60, 7)))),
  "services of many teams": problemOf(JSON.parse(JSON.stringify(realWorkload(real)))),
};

describe.each(Object.entries(problems))("the search for a cheaper plan of %s", (_, problem) => {
  const before = planned(problem, 0);
  const after = planned(problem, 1_500);

  test("finds none that costs more", () => {
    expect(priceOf(after)).toBeLessThanOrEqual(priceOf(before) + 1e-9);
  });

  test("keeps every pod's place possible", () => {
    expect(Object.keys(after.podErrors)).toEqual(Object.keys(before.podErrors));
    const { wrong } = checkAnswer(problem, before);
    expect([...checkAnswer(problem, after).wrong].filter((pod) => !wrong.has(pod))).toEqual([]);
  });

  test("leaves enough types to each claim", () => {
    for (const { instanceTypes, cheapest } of after.nodeClaims) {
      const least = cheapest?.capacityType === "spot" ? enough.spot : enough.other;
      const narrowest = Math.min(...before.nodeClaims.map((claim) => claim.instanceTypes.length));
      expect(instanceTypes.length).toBeGreaterThanOrEqual(Math.min(least, narrowest));
    }
  });

  test("gives the same plan for the same steps, whatever the order of the pods", () => {
    const shuffled = {
      ...problem,
      pods: [...problem.pods].reverse(),
      instanceTypes: [...problem.instanceTypes].reverse(),
    };
    expect(JSON.stringify(planned(shuffled, 1_500))).toBe(JSON.stringify(after));
  });
});

test("pods alike that leave room on each claim are packed anew", () => {
  const batch = { pools: 10, apps: 8, pods: 2_000, seed: 2, spread: 0, apart: 0, dedicated: 0.5 };
  const problem = problemOf(JSON.parse(JSON.stringify(realWorkload(batch))));
  expect(priceOf(planned(problem, 1_500))).toBeLessThan(0.97 * priceOf(planned(problem, 0)));
});

test("claims that hardly need their type are relieved by others that have room", () => {
  const problem = problemOf(JSON.parse(JSON.stringify(generatedMix(1_000, 100, 7))));
  expect(priceOf(planned(problem, 1_500))).toBeLessThan(0.99 * priceOf(planned(problem, 0)));
});
