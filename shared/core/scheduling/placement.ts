/**
 * Places the pods of one class after the other. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, trySchedule and add: existing nodes before claims of this batch
 * before new claims, and one preference given up at a time. It differs: a new claim is made although an old one could grow,
 * when growing would cost clearly more for each pod.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { ClaimBook, freshHost } from "./claim-book.ts";
import { ClaimLanes, type PlacedClaim } from "./claim-lanes.ts";
import { ClaimSearch } from "./claim-search.ts";
import type { ClassInWork, Step } from "./class-in-work.ts";
import { DomainDraw } from "./domain-draw.ts";
import { DomainSettling } from "./domain-settling.ts";
import { isTooNarrow } from "./flexibility.ts";
import type { NewClaimRules } from "./new-claim.ts";
import { NewClaimChoice, type StartOfClaim } from "./new-claim-choice.ts";
import type { NodeLane, PlacedNode } from "./node-lanes.ts";
import { nextNode } from "./node-search.ts";
import { PendingDemand } from "./pending-demand.ts";
import type { ResourceVector } from "./resource-vector.ts";
import { limitOn, type Slot, takeCheapest } from "./slot.ts";
import { LaneBook } from "./step-lanes.ts";
import { openingCounts, StepTurn } from "./step-turn.ts";
import type { Strategy } from "./strategy.ts";
import { refresh } from "./topology/domain-check.ts";
import { DomainChoices } from "./topology/domain-choice.ts";
import type { Topology } from "./topology/topology.ts";
import { driverOfResource } from "./volumes/csi-driver.ts";

/** The nodes that pods may go to. */
export interface Ground {
  readonly lanes: readonly NodeLane[];
  /** Told before pods come to a place. */
  readonly beforeChange?: (lane: NodeLane, slot: number) => void;
}

export class Placement {
  readonly #lanes = new ClaimLanes();
  readonly #ground: Ground;
  readonly #topology: Topology;
  readonly #newClaims: NewClaimChoice;
  readonly #settling: DomainSettling;
  readonly #search: ClaimSearch;
  readonly #claims: ClaimBook;
  readonly #newHosts: boolean;
  readonly #strategy: Strategy;
  readonly #book: LaneBook;
  readonly #demand: PendingDemand;

  /** `newHosts`: claims may be made, so hosts without pods may come. */
  constructor(ground: Ground, topology: Topology, rules: NewClaimRules, newHosts: boolean, strategy: Strategy) {
    this.#strategy = strategy;
    const { names } = rules.dimensions;
    this.#ground = ground;
    this.#topology = topology;
    const choices = new DomainChoices(topology.groups.keys, rules.sets);
    const draw = new DomainDraw(strategy.domainSeed);
    this.#newClaims = new NewClaimChoice(rules, choices, topology, strategy, draw);
    this.#settling = new DomainSettling(choices, rules.sets, topology);
    this.#search = new ClaimSearch(
      choices,
      this.#lanes,
      rules.sets,
      topology,
      strategy.drawsBlindly ? draw : undefined,
    );
    this.#claims = new ClaimBook(this.#lanes, topology, rules);
    this.#newHosts = newHosts;
    this.#book = new LaneBook(names.map((name) => driverOfResource(name) !== undefined));
    this.#demand = new PendingDemand(strategy.demand, names.length);
  }

  /** In the order in which they were made. */
  get claims(): readonly PlacedClaim[] {
    return this.#lanes.claims;
  }

  /** Told once of each class, so that it is known how much is to come. */
  expect({ steps, waiting }: ClassInWork): void {
    const [step] = steps;
    if (step !== undefined) this.#demand.expect(step.requests, waiting.length);
  }

  /** Places as many as possible; says whether there were any. */
  place(one: ClassInWork): boolean {
    const { waiting: pods } = one;
    one.deferred = false;
    const turns = one.steps.map((step) => new StepTurn(step, this.#ground.lanes, this.#book));
    let placed = 0;
    // Each round places a pod or is the last.
    while (placed < pods.length) {
      const added = this.#placeNext(one, turns, pods, placed);
      if (added === 0) break;
      placed += added;
    }
    one.waiting = pods.slice(placed);
    if (placed < pods.length) one.failedAt = this.#openingCounts(one);
    const [step] = one.steps;
    if (step !== undefined) this.#demand.expect(step.requests, -placed);
    return placed > 0;
  }

  /** A pod goes where its class is expected, whatever counts say now: they were asked when the claim was made. */
  placeExpected(one: ClassInWork, pod: Pod, place: PlacedNode): boolean {
    const fits = one.steps.some((step) => place.node.add(step, step.tolerance, [pod], 0, 1) === 1);
    if (fits) this.#topology.record(one.membership, 1, place);
    return fits;
  }

  /**
   * Pods for which claims were made and whose places others took: they give up their wishes before second claims are
   * made. Answers those that are left.
   */
  placePromised(one: ClassInWork, pods: readonly Pod[]): readonly Pod[] {
    const turns = one.steps.map((step) => new StepTurn(step, this.#ground.lanes, this.#book));
    return pods.filter((pod) => !turns.some((turn) => this.#takesOne(one, turn, pod)));
  }

  #takesOne(one: ClassInWork, turn: StepTurn, pod: Pod): boolean {
    if (!turn.step.rules.none) this.#refresh(turn.step);
    return !turn.isHopeless && this.#onNodes(one, turn, [pod], 0) > 0;
  }

  /** A domain may have opened for the class since it found no more places. */
  hasOpened(one: ClassInWork): boolean {
    return this.#openingCounts(one).some((count, i) => count !== one.failedAt[i]);
  }

  /** Where no claim is made hosts may all have pods; a wish to be spread over them is still measured by an empty one. */
  #refresh({ rules, isLast }: Step): void {
    refresh(rules, this.#newHosts || !isLast);
  }

  #openingCounts({ steps }: ClassInWork): readonly number[] {
    return steps.flatMap((step) => {
      this.#refresh(step);
      return openingCounts(step.rules);
    });
  }

  /** Settles the domain of a claim if that gives some of the class a place; says whether there was one. */
  placeBySettling(one: ClassInWork, waiting: readonly ClassInWork[]): boolean {
    const step = one.steps.at(-1);
    if (step === undefined) return false;
    const last = (): readonly Step[] => waiting.flatMap(({ steps }) => steps.at(-1) ?? []);
    return this.#settling.settleFor(
      step,
      last,
      this.#lanes.claims,
      (place) => this.#claims.settle(place),
      () => this.place(one),
    );
  }

  /** The next pods, the strictest step first; how many. */
  #placeNext(one: ClassInWork, turns: readonly StepTurn[], pods: readonly Pod[], from: number): number {
    for (const turn of turns) {
      if (!turn.step.rules.none) this.#refresh(turn.step);
      if (turn.isHopeless) continue;
      const added = this.#onNodes(one, turn, pods, from) || this.#onClaims(one, turn, pods, from);
      if (added === "deferred") {
        one.deferred = true;
        return 0;
      }
      if (added > 0) return added;
      turn.fail();
    }
    return 0;
  }

  #onNodes(one: ClassInWork, turn: StepTurn, pods: readonly Pod[], from: number): number {
    const { step } = turn;
    // Each round adds pods or passes a node over.
    for (;;) {
      const found = nextNode(turn);
      if (found === undefined) return 0;
      const { view, place, limit } = found;
      this.#ground.beforeChange?.(view.lane, view.cursor);
      const added = place.node.add(step, step.tolerance, pods, from, Math.min(limit, pods.length - from));
      if (added === 0) {
        view.cursor++;
        continue;
      }
      view.lane.note(view.cursor);
      this.#topology.record(one.membership, added, place);
      return added;
    }
  }

  #onClaims(one: ClassInWork, turn: StepTurn, pods: readonly Pod[], from: number): number | "deferred" {
    const take = (slot: Slot): number => this.#claims.grow(one, turn.step, slot, pods, from);
    if (this.#strategy.fewestFirst) {
      return firstTaken(this.#search.fewestFirst(turn), take) || this.#onNewClaim(one, turn.step, pods, from);
    }
    const whole = this.#search.whole(turn, take);
    if (whole > 0) return whole;
    const { requests } = turn.step;
    const demand = this.#demand.timesOf(requests, pods.length - from);
    const growing = this.#search.growing(turn, demand);
    const start = this.#newClaim(turn.step);
    const isNew = start !== undefined && start !== "deferred";
    const most = isNew && growing.length > 0 ? this.#mostEach(start, requests, demand) : Infinity;
    const isKept = (slot: Slot): boolean => !isNew || !this.#strategy.keepsFlexibility || !isTooNarrow(slot, turn.step);
    for (let slot = takeCheapest(growing); slot !== undefined; slot = takeCheapest(growing)) {
      if (slot.priceEach > most) break;
      const taken = isKept(slot) ? take(slot) : 0;
      if (taken > 0) return taken;
    }
    return this.#onNewClaim(one, turn.step, pods, from, start);
  }

  #newClaim(step: Step): StartOfClaim | "deferred" | undefined {
    if (!this.#newHosts) return undefined;
    return limitOn(step.rules, freshHost) === 0 ? undefined : this.#newClaims.firstFor(step);
  }

  /** What a pod may cost on a claim that grows. */
  #mostEach({ made }: StartOfClaim, requests: ResourceVector, demand: number): number {
    const { nodeCharge, growthTolerance } = this.#strategy;
    return made.profile.bestPriceEach(requests, demand, nodeCharge) * growthTolerance;
  }

  #onNewClaim(
    one: ClassInWork,
    step: Step,
    pods: readonly Pod[],
    from: number,
    start = this.#newClaim(step),
  ): number | "deferred" {
    if (start === undefined || start === "deferred") return start ?? 0;
    return this.#claims.open(one, step, start, pods, from);
  }
}

function firstTaken(slots: Iterable<Slot>, take: (slot: Slot) => number): number {
  for (const slot of slots) {
    const taken = take(slot);
    if (taken > 0) return taken;
  }
  return 0;
}
