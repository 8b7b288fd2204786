/**
 * Makes a problem that differs small: whatever can be taken out while it still differs by the same rule is taken out, of
 * the problem and of Karpenter's answer alike. What is left of that answer is checked each time: it stays one that
 * Karpenter could be held to, so no Karpenter is needed. Where it is there, it can be asked anew at each step: what is left
 * of an answer may keep more or fewer preferences than it would then.
 */
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import type { CheckedAnswer } from "../checker/answer.ts";
import { checkAnswer } from "../checker/check.ts";
import { podName } from "../checker/claim-check.ts";
import { compare, compareVerdicts, type Finding, type Solver } from "./compare.ts";

export interface Case {
  readonly problem: Problem;
  readonly answer: CheckedAnswer;
}

export interface Shrunk extends Case {
  readonly finding: Finding;
}

/** Attempts; each solves and checks a problem that gets smaller. */
const mostAttempts = 1_500;
const mostAttemptsAsking = 300;

/** Karpenter's answers to a problem. */
export type Peer = (problem: Problem) => readonly CheckedAnswer[];

export function shrink(
  problem: Problem,
  answers: readonly CheckedAnswer[],
  rule: string,
  solver: Solver,
): Shrunk | undefined {
  for (const answer of answers) {
    const start = withoutWrongPods(problem, answer);
    const finding = failure(start, rule, solver);
    if (finding !== undefined) {
      const judge = (candidate: Case): Shrunk | undefined => {
        const found = failure(candidate, rule, solver);
        return found === undefined ? undefined : { ...candidate, finding: found };
      };
      return shrunk({ ...start, finding }, judge, mostAttempts);
    }
  }
  return undefined;
}

/** As `shrink`, with Karpenter's answers to each problem on the way. */
export function shrinkAsking(
  problem: Problem,
  answers: readonly CheckedAnswer[],
  rule: string,
  solver: Solver,
  peer: Peer,
): Shrunk | undefined {
  const judge = (candidate: Case, given: readonly CheckedAnswer[] = peer(candidate.problem)): Shrunk | undefined => {
    const finding = compare(candidate.problem, given, solver).find((one) => one.rule === rule);
    const [answer] = given;
    return finding === undefined || answer === undefined ? undefined : { problem: candidate.problem, answer, finding };
  };
  const [answer] = answers;
  const first = answer === undefined ? undefined : judge({ problem, answer }, answers);
  return first === undefined ? undefined : shrunk(first, judge, mostAttemptsAsking);
}

function shrunk(start: Shrunk, judge: (candidate: Case) => Shrunk | undefined, most: number): Shrunk {
  let current = start;
  let attempts = 0;
  const attempt = (candidate: Case): boolean => {
    if (attempts >= most) return false;
    attempts++;
    const next = judge(candidate);
    if (next === undefined) return false;
    current = next;
    return true;
  };
  // Each round takes something away or is the last.
  for (let round = 0, smaller = true; smaller && round < 10 && attempts < most; round++) {
    smaller = removers.map((remover) => removeAll(remover, () => current, attempt)).some(Boolean);
  }
  return current;
}

/** A kind of part: how many there are, and the case without some of them. */
interface Remover {
  readonly count: (of: Case) => number;
  readonly without: (of: Case, gone: ReadonlySet<number>) => Case;
}

/** Halves first, then quarters, down to one at a time. */
function removeAll(remover: Remover, current: () => Case, attempt: (candidate: Case) => boolean): boolean {
  let removed = false;
  for (let size = remover.count(current()); size >= 1; size = Math.floor(size / 2)) {
    for (let from = remover.count(current()) - size; from > -size; from -= size) {
      const start = Math.max(0, from);
      const gone = new Set(Array.from({ length: Math.min(size, from + size) }, (_, i) => start + i));
      if (gone.size > 0 && attempt(remover.without(current(), gone))) removed = true;
    }
  }
  return removed;
}

function failure({ problem, answer }: Case, rule: string, solver: Solver): Finding | undefined {
  const verdict = checkAnswer(problem, answer);
  if (verdict.violations.length > 0) return undefined;
  return compareVerdicts(problem, [verdict], solver).find((finding) => finding.rule === rule);
}

function withoutWrongPods(problem: Problem, answer: CheckedAnswer): Case {
  const { wrong } = checkAnswer(problem, answer);
  const mended = pruned({ problem, answer }, (pod) => !wrong.has(podName(pod)));
  const { claims } = checkAnswer(mended.problem, mended.answer);
  // Types that turned out to be none of the claim's are wrong too.
  const typesOf = new Map(
    claims.flatMap(({ pods, machines }) =>
      pods.map((pod) => [podName(pod), machines.map(({ type }) => type)] as const),
    ),
  );
  const nodeClaims = mended.answer.nodeClaims.map((claim) => {
    const types = typesOf.get(claim.pods[0] ?? "");
    return types === undefined
      ? claim
      : { ...claim, instanceTypes: claim.instanceTypes.filter((name) => types.includes(name)) };
  });
  return { problem: mended.problem, answer: { ...mended.answer, nodeClaims } };
}

/** Without the pods that are not kept, in the problem and in the answer. */
function pruned({ problem, answer }: Case, keep: (pod: Pod) => boolean): Case {
  const pods = problem.pods.filter(keep);
  const names = new Set(pods.map(podName));
  const only = (list: readonly string[]) => list.filter((name) => names.has(name));
  return {
    problem: { ...problem, pods },
    answer: {
      nodeClaims: answer.nodeClaims
        .map((claim) => ({ ...claim, pods: only(claim.pods) }))
        .filter(({ pods: left }) => left.length > 0),
      existingNodes: answer.existingNodes
        .map((node) => ({ ...node, pods: only(node.pods) }))
        .filter(({ pods: left }) => left.length > 0),
      podErrors: Object.fromEntries(Object.entries(answer.podErrors).filter(([name]) => names.has(name))),
    },
  };
}

const removers: readonly Remover[] = [
  {
    count: ({ problem }) => problem.pods.length,
    without: (of, gone) => {
      const kept = new Set(of.problem.pods.filter((_, i) => !gone.has(i)));
      return pruned(of, (pod) => kept.has(pod));
    },
  },
  ofList("nodePools"),
  ofList("nodes"),
  ofList("daemonSets"),
  ofList("objects"),
  {
    count: ({ problem }) => problem.instanceTypes.length,
    without: ({ problem, answer }, gone) => {
      const instanceTypes = problem.instanceTypes.filter((_, i) => !gone.has(i));
      const names = new Set(instanceTypes.map(({ name }) => name));
      const nodeClaims = answer.nodeClaims.map((claim) => ({
        ...claim,
        instanceTypes: claim.instanceTypes.filter((name) => names.has(name)),
      }));
      return { problem: { ...problem, instanceTypes }, answer: { ...answer, nodeClaims } };
    },
  },
  ...(
    [
      "affinity",
      "topologySpreadConstraints",
      "nodeSelector",
      "tolerations",
      "volumes",
      "initContainers",
      "overhead",
      "resources",
    ] as const
  ).map(ofPodField),
  ofPools(withoutTaints),
  ofPools(withoutLimits),
  ofPools(withoutRequirements),
];

function ofList(field: "nodePools" | "nodes" | "daemonSets" | "objects"): Remover {
  return {
    count: ({ problem }) => problem[field].length,
    without: ({ problem, answer }, gone) => {
      const list: readonly (KubeObject | { readonly name: string })[] = problem[field];
      return { problem: { ...problem, [field]: list.filter((_, i) => !gone.has(i)) }, answer };
    },
  };
}

/** All pods written alike lose it together: one part for each way of writing it. */
function ofPodField(field: keyof PodSpec): Remover {
  const texts = ({ problem }: Case): readonly string[] => [
    ...new Set(problem.pods.flatMap(({ spec }) => (spec[field] === undefined ? [] : [JSON.stringify(spec[field])]))),
  ];
  return {
    count: (of) => texts(of).length,
    without: (of, gone) => {
      const dropped = new Set(texts(of).filter((_, i) => gone.has(i)));
      const pods = of.problem.pods.map((pod) => {
        if (!dropped.has(JSON.stringify(pod.spec[field]))) return pod;
        const { [field]: _, ...rest } = pod.spec;
        return { ...pod, spec: { ...rest, containers: pod.spec.containers } };
      });
      return { problem: { ...of.problem, pods }, answer: of.answer };
    },
  };
}

function ofPools(simplify: (pool: NodePool) => NodePool): Remover {
  return {
    count: ({ problem }) => problem.nodePools.length,
    without: ({ problem, answer }, gone) => {
      const nodePools = problem.nodePools.map((pool, i) => (gone.has(i) ? simplify(pool) : pool));
      const changed = nodePools.some((pool, i) => pool !== problem.nodePools[i]);
      // An unchanged case would differ for ever.
      return { problem: changed ? { ...problem, nodePools } : { ...problem, pods: [] }, answer };
    },
  };
}

function withoutTaints(pool: NodePool): NodePool {
  const { taints, ...spec } = pool.spec.template.spec;
  return taints === undefined ? pool : { ...pool, spec: { ...pool.spec, template: { ...pool.spec.template, spec } } };
}

function withoutLimits(pool: NodePool): NodePool {
  const { limits, ...spec } = pool.spec;
  return limits === undefined ? pool : { ...pool, spec };
}

function withoutRequirements(pool: NodePool): NodePool {
  const { template } = pool.spec;
  if (template.spec.requirements.length === 0) return pool;
  return { ...pool, spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements: [] } } } };
}
