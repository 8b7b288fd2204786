/** Does Karpenter decide the same, or worse? Every recorded problem; needs no Go. */
import { beforeAll, describe, expect, test } from "vitest";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { checkAnswer } from "./checker/check.ts";
import { compare, type Finding, ourSolver } from "./comparison/compare.ts";
import { mostExcluded, readExclusions } from "./comparison/exclusions.ts";
import { shownCase } from "./comparison/shown.ts";
import { shrink } from "./comparison/shrink.ts";
import { cheapestPossible } from "./lower-bound/relaxation.ts";
import { type RecordedProblem, readRecorded } from "./recorder/record-file.ts";

/** Of the problems that differ so many are made small and shown. */
const shownMost = 3;
const leastRecorded = 300;

const recorded = readRecorded();
const exclusions = readExclusions();

interface Difference {
  readonly recorded: RecordedProblem;
  readonly findings: readonly Finding[];
}

function describeAll(differences: readonly Difference[]): string {
  const lines = differences.flatMap(({ recorded: { name }, findings }) =>
    findings.map(({ rule, message }) => `${name}: ${rule}: ${message}`),
  );
  const small = differences.slice(0, shownMost).flatMap(({ recorded: { name, problem, answers }, findings }) => {
    const found = shrink(problemOf(problem), answers, findings[0]?.rule ?? "", ourSolver);
    return found === undefined ? [] : [shownCase(name, found, ourSolver)];
  });
  return [...lines, "", ...small].join("\n");
}

describe("beside Karpenter's recorded answers", () => {
  let differences: readonly Difference[] = [];
  beforeAll(() => {
    differences = recorded
      .map((one) => ({ recorded: one, findings: compare(problemOf(one.problem), one.answers) }))
      .filter(({ findings }) => findings.length > 0);
  }, 300_000);

  test("ours is feasible, places what Karpenter rightly places, costs no more and is no narrower", () => {
    const excluded = new Set(exclusions.map(({ problem }) => problem));
    const unexpected = differences.filter(({ recorded: { name } }) => !excluded.has(name));
    expect(unexpected.length === 0 ? "" : describeAll(unexpected)).toBe("");
  }, 300_000);

  test("each exclusion names a recorded problem that does differ by that rule", () => {
    const stale = exclusions.filter(({ problem, rule }) => {
      const found = differences.find(({ recorded: { name } }) => name === problem);
      return found?.findings.some((finding) => finding.rule === rule) !== true;
    });
    expect(stale).toEqual([]);
  });
});

describe("the recording", () => {
  test("is large, and little of it is excluded", () => {
    expect(recorded.length).toBeGreaterThanOrEqual(leastRecorded);
    expect(new Set(exclusions.map(({ problem }) => problem)).size).toBeLessThanOrEqual(mostExcluded * recorded.length);
  });

  test("no plan of Karpenter's is cheaper than the lower bound", () => {
    const cheaper = recorded.flatMap(({ name, problem, answers: [answer] }) => {
      if (answer === undefined) return [];
      const read = problemOf(problem);
      const { placed, pricePerHour } = checkAnswer(read, answer);
      const bound = cheapestPossible(read, placed);
      return bound <= pricePerHour * (1 + 1e-6) + 1e-9 ? [] : [`${name}: ${pricePerHour} below ${bound}`];
    });
    expect(cheaper).toEqual([]);
  }, 300_000);
});
