/** Our answer to a problem beside Karpenter's: what is wrong with ours, or worse. */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import { solveProblem } from "../../../cli/solve/solve.ts";
import type { CheckedAnswer } from "../checker/answer.ts";
import { checkAnswer, type Verdict } from "../checker/check.ts";
import { podName } from "../checker/claim-check.ts";
import { placesOfVerdict, wishesMet } from "../checker/wishes.ts";
import { narrowClaim } from "./flexibility.ts";
import { alike, podsInBoth } from "./pods-alike.ts";

export interface Finding {
  /** `infeasible: spread`, `unplaced`, `cost`, … */
  readonly rule: string;
  readonly message: string;
}

export type Solver = (problem: Problem) => CheckedAnswer;

export const ourSolver: Solver = (problem) => solveProblem(problem).placement;

/** Sums of prices differ in the last digits with their order. */
const rounding = 1e-9;

/** Empty: feasible, every pod that each run rightly places has a place, no run is cheaper, no claim is narrower. */
export function compare(
  problem: Problem,
  theirs: readonly CheckedAnswer[],
  solver: Solver = ourSolver,
): readonly Finding[] {
  return compareVerdicts(
    problem,
    theirs.map((answer) => checkAnswer(problem, answer)),
    solver,
  );
}

export function compareVerdicts(
  problem: Problem,
  theirs: readonly Verdict[],
  solver: Solver = ourSolver,
): readonly Finding[] {
  const answer = attempt(() => solver(problem));
  if ("defect" in answer) return [{ rule: "defect", message: answer.defect }];
  const ours = checkAnswer(problem, answer.value);
  const pairs = measuresAmong(problem, ours, theirs, (pods) => verdictFor(problem, answer.value, pods, solver));
  return [
    ...ours.violations.map(({ rule, where, message }) => ({
      rule: `infeasible: ${rule}`,
      message: `${where}: ${message}`,
    })),
    ...unplaced(problem, ours, theirs, answer.value),
    ...dearer(pairs),
    ...narrower(pairs),
  ];
}

function attempt<T>(run: () => T): { readonly value: T } | { readonly defect: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { defect: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/**
 * Pods that each run rightly places and we do not; or fewer pods than some run. As many others instead are a swap. Which
 * of several pods that are written alike get the places is not looked at. A run that places a pod wrongly for which we have
 * a place, it or one alike, has that room for others, and is no measure.
 */
function unplaced(
  { pods }: Problem,
  ours: Verdict,
  theirs: readonly Verdict[],
  answer: CheckedAnswer,
): readonly Finding[] {
  const groups = alike(pods, ({ spec: { volumes: _, ...spec } }) => spec);
  const placedOf = (names: readonly string[], { placed }: Verdict): number =>
    names.filter((name) => placed.has(name)).length;
  const measures = theirs.filter((run) =>
    groups.every(
      (names) => !names.some((name) => run.wrong.has(name)) || placedOf(names, ours) <= placedOf(names, run),
    ),
  );
  if (measures.length === 0) return [];
  const missing = groups.flatMap((names) => {
    const wanted = Math.min(...measures.map((run) => placedOf(names, run)));
    const left = names.filter((name) => !ours.placed.has(name));
    return left.slice(0, Math.max(0, wanted - placedOf(names, ours)));
  });
  const most = Math.max(...measures.map(({ placed }) => placed.size));
  const [example] = missing;
  if (example !== undefined) {
    const why = answer.podErrors[example] ?? "it is placed where it would not run";
    const rule = ours.placed.size < most ? "unplaced" : "swapped pods";
    return [{ rule, message: `${missing.length} pods, ${example} for one: ${why}` }];
  }
  if (ours.placed.size >= most) return [];
  return [{ rule: "fewer pods", message: `${ours.placed.size} pods have a place, in one of Karpenter's runs ${most}` }];
}

function kindOf({ metadata, spec }: Pod): string {
  return JSON.stringify([metadata.namespace, metadata.labels, spec]);
}

/** One of Karpenter's runs beside ours, as far as both place the same pods. */
interface Pair {
  /** Our answer places these and no others. */
  readonly same: boolean;
  readonly both: ReadonlySet<string>;
  readonly ours: Verdict;
  readonly theirs: Verdict;
}

/**
 * Each run is compared on the pods that both place, of pods alike on as many as both place: where we place more, ours is the
 * answer to the problem without the others, since what they add is not what Karpenter's plan pays for.
 */
function inCommon(
  { pods }: Problem,
  ours: Verdict,
  theirs: readonly Verdict[],
  verdictOn: (pods: ReadonlySet<string>) => Verdict,
): readonly Pair[] {
  const known = new Map<string, Verdict>();
  return theirs.map((run) => {
    const both = podsInBoth(pods, ours.placed, run.placed);
    const key = [...both].sort().join(" ");
    const own = both.size === ours.placed.size ? ours : (known.get(key) ?? verdictOn(both));
    known.set(key, own);
    return { same: own === ours, both, ours: own, theirs: run };
  });
}

/**
 * A run that places the same pods and meets fewer of their preferences is no measure: those have their price. Karpenter takes a
 * preference for met on a node that lacks the label (slip 3).
 */
function measuresAmong(
  problem: Problem,
  ours: Verdict,
  theirs: readonly Verdict[],
  verdictOn: (pods: ReadonlySet<string>) => Verdict,
): readonly Pair[] {
  const pairs = inCommon(problem, ours, theirs, verdictOn);
  if (problem.options.preferencePolicy === "Ignore") return pairs;
  const metBy = (verdict: Verdict): number => wishesMet(problem, placesOfVerdict(problem, verdict)).met;
  const own = metBy(ours);
  return pairs.filter((pair) => !pair.same || metBy(pair.theirs) >= own);
}

/** Our answer where no others of the pods that it spoke of want a place. */
function verdictFor(problem: Problem, answer: CheckedAnswer, pods: ReadonlySet<string>, solver: Solver): Verdict {
  const { nodeClaims, existingNodes, podErrors } = answer;
  const asked = new Set([...nodeClaims, ...existingNodes].flatMap((one) => one.pods));
  for (const name of Object.keys(podErrors)) asked.add(name);
  const isKept = (name: string): boolean => pods.has(name) || !asked.has(name);
  const fewer = { ...problem, pods: problem.pods.filter((pod) => isKept(podName(pod))) };
  return checkAnswer(fewer, solver(fewer));
}

function dearer(pairs: readonly Pair[]): readonly Finding[] {
  for (const { both, ours, theirs } of pairs) {
    const [own, price] = [priceOf(ours, ours.placed), priceOf(theirs, both)];
    if (own <= price * (1 + rounding) + rounding) continue;
    const message = `${own.toFixed(5)} an hour for ${both.size} pods, Karpenter ${price.toFixed(5)} (${percent(own, price)})`;
    return [{ rule: "cost", message }];
  }
  return [];
}

/** Of the claims that hold one of the pods. */
function priceOf({ claims }: Verdict, pods: ReadonlySet<string>): number {
  return claims
    .filter((claim) => claim.pods.some((pod) => pods.has(podName(pod))))
    .reduce((sum, { machines }) => sum + Math.min(...machines.map(({ price }) => price)), 0);
}

function percent(own: number, price: number): string {
  return price === 0 ? "which is nothing" : `${((own / price - 1) * 100).toFixed(1)} % more`;
}

/**
 * As broad as one of the runs is broad enough. Only runs that place the same pods say how broad a plan can be: what else a
 * plan holds, or holds wrongly, decides the shape of its claims.
 */
function narrower(pairs: readonly Pair[]): readonly Finding[] {
  const messages = pairs
    .filter(({ same, both, theirs }) => same && both.size === theirs.placed.size && theirs.wrong.size === 0)
    .map(({ ours, theirs }) => narrowClaim(ours.claims, theirs.claims, kindOf));
  const [first] = messages;
  if (first === undefined || messages.some((message) => message === undefined)) return [];
  return [{ rule: "flexibility", message: first }];
}
