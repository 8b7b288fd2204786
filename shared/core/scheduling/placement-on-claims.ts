/**
 * Places the next pods of a class on the claims of this batch, or on a new one. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, addToInflightNode and addToNewNodeClaim. It differs: a new claim is
 * made although an old one could grow, when growing would cost clearly more for each pod.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { ClaimBook, freshHost } from "./claims/claim-book.ts";
import type { ClaimLanes, PlacedClaim } from "./claims/claim-lanes.ts";
import { ClaimSearch } from "./claims/claim-search.ts";
import { DomainDraw } from "./claims/domain-draw.ts";
import { FewestPodsFirst } from "./claims/fewest-pods-first.ts";
import { LaneDomains } from "./claims/lane-domains.ts";
import type { NewClaimRules } from "./claims/new-claim.ts";
import { NewClaimChoice, type StartOfClaim } from "./claims/new-claim-choice.ts";
import { limitOn, type Slot, takeCheapest } from "./claims/slot.ts";
import type { StepTurn } from "./claims/step-turn.ts";
import { isTooNarrow } from "./instance-types/flexibility.ts";
import type { ClassInWork, Step } from "./pods/class-in-work.ts";
import { PendingDemand } from "./pods/pending-demand.ts";
import type { ResourceVector } from "./resources/resource-vector.ts";
import type { Strategy } from "./strategy.ts";
import type { DomainChoices } from "./topology/domain-choice.ts";
import type { Topology } from "./topology/topology.ts";

export class PlacementOnClaims {
  readonly #newClaims: NewClaimChoice;
  readonly #search: ClaimSearch;
  readonly #fewestFirst: FewestPodsFirst;
  readonly #claims: ClaimBook;
  readonly #newHosts: boolean;
  readonly #strategy: Strategy;
  readonly #demand: PendingDemand;

  /** `newHosts`: claims may be made. */
  constructor(
    lanes: ClaimLanes,
    topology: Topology,
    rules: NewClaimRules,
    choices: DomainChoices,
    newHosts: boolean,
    strategy: Strategy,
  ) {
    const draw = new DomainDraw(strategy.domainSeed);
    const domains = new LaneDomains(choices, strategy.drawsBlindly ? draw : undefined);
    this.#newClaims = new NewClaimChoice(rules, choices, topology, strategy, draw);
    this.#search = new ClaimSearch(domains, lanes, rules.sets, topology);
    this.#fewestFirst = new FewestPodsFirst(domains, lanes, rules.sets, topology);
    this.#claims = new ClaimBook(lanes, topology, rules);
    this.#newHosts = newHosts;
    this.#strategy = strategy;
    this.#demand = new PendingDemand(strategy.demand, rules.dimensions.names.length);
  }

  /** So many such pods are to come; negative: they have a place. */
  expect(requests: ResourceVector, times: number): void {
    this.#demand.expect(requests, times);
  }

  /** What the claim holds is counted where it is now. */
  settle(place: PlacedClaim): void {
    this.#claims.settle(place);
  }

  /** How many; `deferred`: it waits for reserved capacity. */
  place(one: ClassInWork, turn: StepTurn, pods: readonly Pod[], from: number): number | "deferred" {
    const take = (slot: Slot): number => this.#claims.grow(one, turn.step, slot, pods, from);
    if (this.#strategy.fewestFirst) {
      return firstTaken(this.#fewestFirst.slots(turn), take) || this.#onNewClaim(one, turn.step, pods, from);
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
