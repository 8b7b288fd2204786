/**
 * Is there an order in which kube-scheduler could bind each pod to its place, every rule between pods holding when it
 * does? Orders are tried by a few strategies, greedily: whoever can be bound is. Affinity is only ever helped by more
 * pods and anti-affinity does not depend on the order; for spread the emptiest domain first is best. At last those that
 * were stuck go before those that were in their way. So an order is found where there is one, but for contrived
 * mixtures; what no strategy can bind is taken as wrongly placed.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import { Random } from "../generator/random.ts";
import { BindingState, type Obstacle, type PossibleDomains, type Waiting } from "./binding-state.ts";
import type { Place } from "./places.ts";
import { meansPod, type PodRules, podRules } from "./pod-rules.ts";

export interface Stuck extends Obstacle {
  readonly one: Waiting;
}

type Order = (waiting: readonly Waiting[], state: BindingState) => readonly Waiting[];

const randomOrders = 8;
const learningRounds = 16;

export function stuckPods(problem: Problem, places: readonly Place[], possible: PossibleDomains): readonly Stuck[] {
  const rulesOf = sharedRules(problem);
  const inPlace = (place: Place, pods: readonly Pod[]) => pods.map((pod) => ({ pod, place, rules: rulesOf(pod) }));
  const waiting = places.flatMap((place) => inPlace(place, place.coming));
  const running = places.flatMap((place) => inPlace(place, place.running));
  let best: readonly Stuck[] | undefined;
  for (const order of orders()) {
    const stuck = bindAll(new BindingState(places, waiting, running, possible), waiting, order);
    if (stuck.length === 0) return [];
    if (best === undefined || stuck.length < best.length) best = stuck;
  }
  return learned(() => new BindingState(places, waiting, running, possible), waiting, best ?? []);
}

/**
 * Tries again with what the tries before taught: whoever was stuck comes earlier, and whoever counts against it in its
 * domain comes later.
 */
function learned(fresh: () => BindingState, waiting: readonly Waiting[], first: readonly Stuck[]): readonly Stuck[] {
  const urgency = new Map(waiting.map((one) => [one, 0]));
  const raise = (one: Waiting, by: number): unknown => urgency.set(one, (urgency.get(one) ?? 0) + by);
  const order: Order = (left, state) => {
    const asked = new Set(left.flatMap(({ rules }) => rules.spreads));
    return byNumber(left, (one) => state.burden(one, asked) * 1e6 - (urgency.get(one) ?? 0) * 1e9);
  };
  let [best, last] = [first, first];
  for (let round = 0; round < learningRounds && last.length > 0; round++) {
    for (const { one } of last) {
      raise(one, 1);
      for (const other of waiting.filter((each) => burdens(each, one))) raise(other, -1);
    }
    last = bindAll(fresh(), waiting, order);
    if (last.length < best.length) best = last;
  }
  return best;
}

/** It counts for a spread of the other one, in the domain to which that one goes. */
function burdens(one: Waiting, other: Waiting): boolean {
  return other.rules.spreads.some(({ term }) => {
    const domain = other.place.labels[term.topologyKey];
    const isThere = domain !== undefined && one.place.labels[term.topologyKey] === domain;
    return isThere && one !== other && meansPod(term, one.pod);
  });
}

/** Pods of one workload have the same rules. */
function sharedRules(problem: Problem): (pod: Pod) => PodRules {
  const known = new Map<string, PodRules>();
  return (pod) => {
    const { affinity, topologySpreadConstraints, nodeSelector, tolerations } = pod.spec;
    const { namespace, labels } = pod.metadata;
    const key = JSON.stringify([namespace, labels, affinity, topologySpreadConstraints, nodeSelector, tolerations]);
    const rules = known.get(key) ?? podRules(problem, pod);
    known.set(key, rules);
    return rules;
  };
}

function orders(): readonly Order[] {
  const emptiest: Order = (waiting, state) => byNumber(waiting, (one) => state.crowd(one));
  const lightest: Order = (waiting, state) => byNumber(waiting, (one) => state.weight(one) * 1e6 + state.crowd(one));
  // Whoever does not count for those who wait: they can still be bound after it.
  const leastBurden: Order = (waiting, state) => {
    const asked = new Set(waiting.flatMap(({ rules }) => rules.spreads));
    return byNumber(waiting, (one) => state.burden(one, asked) * 1e6 + state.crowd(one));
  };
  const isConstrained = ({ rules }: Waiting): boolean => rules.spreads.length + rules.affinities.length > 0;
  const constrained: Order = (waiting, state) => emptiest(waiting.filter(isConstrained), state);
  const others = (waiting: readonly Waiting[]) => waiting.filter((one) => !isConstrained(one));
  // Several spreads of one workload hold in few orders only.
  const tiesDrawn = Array.from({ length: randomOrders }, (_, seed): Order => {
    const random = new Random(seed);
    return (waiting, state) => leastBurden(random.shuffled(waiting), state);
  });
  const shuffled = Array.from({ length: randomOrders }, (_, seed): Order => {
    const random = new Random(seed);
    return (waiting) => random.shuffled(waiting);
  });
  return [
    (waiting, state) => [...constrained(waiting, state), ...others(waiting)],
    lightest,
    leastBurden,
    (waiting, state) => [...others(waiting), ...constrained(waiting, state)],
    emptiest,
    ...tiesDrawn,
    ...shuffled,
  ];
}

function byNumber(waiting: readonly Waiting[], number: (one: Waiting) => number): readonly Waiting[] {
  return waiting
    .map((one) => ({ one, n: number(one) }))
    .sort((a, b) => a.n - b.n)
    .map(({ one }) => one);
}

function bindAll(state: BindingState, all: readonly Waiting[], order: Order): readonly Stuck[] {
  let waiting = all;
  // Each round binds a pod or is the last, so there are at most as many rounds as pods.
  while (waiting.length > 0) {
    const next = order(waiting, state).find((one) => state.obstacle(one) === undefined);
    if (next === undefined) break;
    state.bind(next);
    waiting = waiting.filter((one) => one !== next);
  }
  return waiting.flatMap((one) => {
    const obstacle = state.obstacle(one);
    return obstacle === undefined ? [] : [{ one, ...obstacle }];
  });
}
