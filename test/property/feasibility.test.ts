/**
 * Random problems of every kind that the differential test knows, answered by us alone: the independent checker has nothing
 * to say, the order of the objects does not matter, and a claim keeps each type that could run its pods.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Problem, ProblemInstanceType } from "../../cli/solve/problem.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { solveProblem } from "../../cli/solve/solve.ts";
import { checkAnswer } from "../differential/checker/check.ts";
import { checkClaim, podName } from "../differential/checker/claim-check.ts";
import type { Feature } from "../differential/generator/features.ts";
import { generate } from "../differential/generator/generate.ts";

/** Beyond the seeds that are recorded. */
const seeds = fc.integer({ min: 1_000_000, max: 2_000_000 });
/** The same in each run: what a new seed finds is mended, or told, before it is drawn here. */
const runs = { numRuns: 60, seed: 4 };

/** What takes types from a claim although its pods could run on them. */
const narrowing: readonly Feature[] = ["limits", "reserved", "min-values"];

/** The same objects, each list in an order drawn by the seed. */
function shuffled(problem: Problem, seed: number): Problem {
  const order = <T>(list: readonly T[]): readonly T[] =>
    list
      .map((item, i) => ({ item, rank: (Math.imul(i + 1, 0x9e37_79b1) ^ Math.imul(seed, 0x85eb_ca6b)) >>> 0 }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }) => item);
  return {
    ...problem,
    pods: order(problem.pods),
    nodePools: order(problem.nodePools),
    instanceTypes: order(problem.instanceTypes),
    nodes: order(problem.nodes),
    daemonSets: order(problem.daemonSets),
    objects: order(problem.objects),
  };
}

describe("for all generated problems", () => {
  test("every pod has a place where it would run, within limits and reservations, or is told why not", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const problem = problemOf(generate(seed).problem);
        expect(checkAnswer(problem, solveProblem(problem).placement).violations).toEqual([]);
      }),
      runs,
    );
  });

  test("the answer does not depend on the order of the objects", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const problem = problemOf(generate(seed).problem);
        const [one, other] = [problem, shuffled(problem, seed)].map((posed) => solveProblem(posed).placement);
        expect(JSON.stringify(other)).toBe(JSON.stringify(one));
      }),
      runs,
    );
  });

  test("each type that could run a claim's pods stays on the claim", () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        const { problem: raw, features } = generate(seed);
        fc.pre(!features.some((one) => narrowing.includes(one)));
        const problem = problemOf(raw);
        const pods = new Map(problem.pods.map((pod) => [podName(pod), pod]));
        for (const claim of solveProblem(problem).placement.nodeClaims) {
          const own = claim.pods.flatMap((name) => pods.get(name) ?? []);
          const isMissed = ({ name }: ProblemInstanceType): boolean =>
            !claim.instanceTypes.includes(name) &&
            checkClaim(problem, { ...claim, instanceTypes: [name] }, own, name).violations.length === 0;
          expect(problem.instanceTypes.filter(isMissed).map(({ name }) => name)).toEqual([]);
        }
      }),
      runs,
    );
  });
});
