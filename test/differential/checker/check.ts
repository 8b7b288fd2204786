/**
 * Is an answer right? Slow, obvious and independent: written from kube-scheduler's documented rules and from what a
 * NodeClaim means, it shares no code with the scheduler.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import type { CheckedAnswer, Violation } from "./answer.ts";
import { stuckPods } from "./binding.ts";
import { checkClaim, podName } from "./claim-check.ts";
import { possibleDomains } from "./domains.ts";
import { checkNode } from "./node-check.ts";
import type { Place } from "./places.ts";
import { checkLimits, checkMinValues, checkReservations } from "./pool-check.ts";
import { scenarios } from "./scenarios.ts";
import type { SettledClaim } from "./settled-claim.ts";
import { type StandingNode, standingNodes } from "./standing-nodes.ts";

export interface Verdict {
  readonly violations: readonly Violation[];
  /** Pods that the answer places and that would not run there. */
  readonly wrong: ReadonlySet<string>;
  /** Pods that the answer places and that would run there. */
  readonly placed: ReadonlySet<string>;
  /** The claims without what is wrong about them. */
  readonly claims: readonly SettledClaim[];
  /** By name of the node: the pods that it takes and that would run there. */
  readonly onNodes: PodsByNode;
  /** Of those claims, each as its cheapest machine. */
  readonly pricePerHour: number;
}

type PodsByNode = ReadonlyMap<string, readonly Pod[]>;

export function checkAnswer(problem: Problem, answer: CheckedAnswer): Verdict {
  const pods = new Map(problem.pods.map((pod) => [podName(pod), pod]));
  const podsOf = (names: readonly string[]): readonly Pod[] => names.flatMap((name) => pods.get(name) ?? []);
  const standing = standingNodes(problem);
  const violations: Violation[] = [...accounting(problem, standing, answer)];

  let claims = answer.nodeClaims.flatMap((claim, index): readonly SettledClaim[] => {
    const where = `claim ${index} of ${claim.nodePool}`;
    const verdict = checkClaim(problem, claim, podsOf(claim.pods), where);
    violations.push(...verdict.violations);
    const pool = problem.nodePools.find(({ metadata }) => metadata.name === claim.nodePool);
    const taints = pool?.spec.template.spec.taints ?? [];
    return [{ where, pool: claim.nodePool, taints, machines: verdict.machines, pods: verdict.pods }];
  });
  claims = claims.filter(({ machines }) => machines.length > 0);
  const onNodes = new Map<string, readonly Pod[]>();
  for (const { name, pods: names } of answer.existingNodes) {
    const node = standing.find((one) => one.name === name);
    const verdict = node === undefined ? unknownNode(name, names) : checkNode(problem, node, podsOf(names));
    violations.push(...verdict.violations);
    onNodes.set(name, verdict.pods);
  }
  for (const check of [checkMinValues, checkReservations, limitsOver(standing)]) {
    const verdict = check(problem, claims);
    violations.push(...verdict.violations);
    claims = [...verdict.claims];
  }
  const found = betweenPods(problem, answer, standing, claims, onNodes);
  violations.push(...found);
  return verdictOf(answer, claims, onNodes, violations);
}

function limitsOver(standing: readonly StandingNode[]) {
  return (problem: Problem, claims: readonly SettledClaim[]) => checkLimits(problem, standing, claims);
}

function unknownNode(
  name: string,
  pods: readonly string[],
): { readonly pods: readonly Pod[]; readonly violations: readonly Violation[] } {
  const message = `there is no node ${name}`;
  return { pods: [], violations: [{ rule: "unknown-name", pods, where: `node ${name}`, message }] };
}

/** Each pod that waits has one place or one reason; nobody else has a place. */
function accounting(problem: Problem, standing: readonly StandingNode[], answer: CheckedAnswer): readonly Violation[] {
  const places = new Map<string, number>();
  const given = [...answer.nodeClaims, ...answer.existingNodes].flatMap(({ pods }) => pods);
  for (const name of [...given, ...Object.keys(answer.podErrors)]) places.set(name, (places.get(name) ?? 0) + 1);
  const waiting = new Set(problem.pods.filter(({ spec }) => spec.nodeName === undefined).map(podName));
  const leaving = new Set(standing.filter((node) => node.leaving).flatMap(({ pods }) => pods.map(podName)));
  const violations: Violation[] = [];
  const tell = (name: string, message: string): void => {
    violations.push({ rule: "accounting", pods: [name], where: "the answer", message: `${name} ${message}` });
  };
  for (const name of waiting) {
    const count = places.get(name) ?? 0;
    if (count !== 1) tell(name, count === 0 ? "is not spoken of" : `is spoken of ${count} times`);
  }
  for (const name of new Set(given)) {
    if (!waiting.has(name) && !leaving.has(name)) tell(name, "does not wait for a place");
  }
  return violations;
}

/** Rules between pods, whatever the claims turn out to be. */
function betweenPods(
  problem: Problem,
  answer: CheckedAnswer,
  standing: readonly StandingNode[],
  claims: readonly SettledClaim[],
  onNodes: PodsByNode,
): readonly Violation[] {
  const possible = possibleDomains(problem);
  // A pod that has to leave its node no longer counts there, whether the answer found it a place or not.
  const placed = [...answer.nodeClaims, ...answer.existingNodes].flatMap(({ pods }) => pods);
  const moving = new Set([...placed, ...Object.keys(answer.podErrors)]);
  const violations = new Map<string, Violation>();
  for (const nodes of scenarios(claims, problem.pods)) {
    const fixed = standing.map(({ name, labels, taints, pods, leaving }): Place => {
      const running = leaving ? pods.filter((pod) => !moving.has(podName(pod))) : pods;
      return { name, labels, taints, running, coming: onNodes.get(name) ?? [] };
    });
    const made = claims.map(({ where, taints, pods }, i): Place => {
      return { name: where, labels: nodes[i] ?? {}, taints, running: [], coming: pods };
    });
    for (const { one, rule, message } of stuckPods(problem, [...fixed, ...made], possible)) {
      const name = podName(one.pod);
      if (!violations.has(name))
        violations.set(name, { rule, pods: [name], where: one.place.name, message: `${name}: ${message}` });
    }
  }
  return [...violations.values()];
}

function verdictOf(
  answer: CheckedAnswer,
  claims: readonly SettledClaim[],
  onNodes: PodsByNode,
  violations: readonly Violation[],
): Verdict {
  const given = [...answer.nodeClaims, ...answer.existingNodes].flatMap(({ pods }) => pods);
  const kept = new Set([...claims.flatMap(({ pods }) => pods), ...[...onNodes.values()].flat()].map(podName));
  const blamed = new Set(violations.flatMap(({ pods }) => pods));
  const wrong = new Set(given.filter((name) => blamed.has(name) || !kept.has(name)));
  const right = claims
    .map((claim) => ({ ...claim, pods: claim.pods.filter((pod) => !wrong.has(podName(pod))) }))
    .filter(({ pods }) => pods.length > 0);
  return {
    violations,
    wrong,
    placed: new Set(given.filter((name) => !wrong.has(name))),
    claims: right,
    onNodes: new Map([...onNodes].map(([name, pods]) => [name, pods.filter((pod) => !wrong.has(podName(pod)))])),
    pricePerHour: right.reduce((sum, { machines }) => sum + Math.min(...machines.map(({ price }) => price)), 0),
  };
}
