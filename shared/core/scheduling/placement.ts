/**
 * Places the pods of one class after the other. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, trySchedule and add: existing nodes before claims of this batch
 * before new claims, and one preference given up at a time. It differs for claims (placement-on-claims.ts).
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { ClaimLanes, type PlacedClaim } from "./claims/claim-lanes.ts";
import { DomainSettling } from "./claims/domain-settling.ts";
import type { NewClaimRules } from "./claims/new-claim.ts";
import { LaneBook } from "./claims/step-lanes.ts";
import { openingCounts, StepTurn } from "./claims/step-turn.ts";
import type { NodeLane, PlacedNode } from "./nodes/node-lanes.ts";
import { nextNode } from "./nodes/node-search.ts";
import { PlacementOnClaims } from "./placement-on-claims.ts";
import type { ClassInWork, Step } from "./pods/class-in-work.ts";
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
  readonly #settling: DomainSettling;
  readonly #onClaims: PlacementOnClaims;
  readonly #newHosts: boolean;
  readonly #book: LaneBook;

  /** `newHosts`: claims may be made, so hosts without pods may come. */
  constructor(ground: Ground, topology: Topology, rules: NewClaimRules, newHosts: boolean, strategy: Strategy) {
    this.#ground = ground;
    this.#topology = topology;
    const choices = new DomainChoices(topology.groups.keys, rules.sets);
    this.#settling = new DomainSettling(choices, rules.sets, topology);
    this.#onClaims = new PlacementOnClaims(this.#lanes, topology, rules, choices, newHosts, strategy);
    this.#newHosts = newHosts;
    this.#book = new LaneBook(rules.dimensions.names.map((name) => driverOfResource(name) !== undefined));
  }

  /** In the order in which they were made. */
  get claims(): readonly PlacedClaim[] {
    return this.#lanes.claims;
  }

  /** Told once of each class, so that it is known how much is to come. */
  expect({ steps, waiting }: ClassInWork): void {
    const [step] = steps;
    if (step !== undefined) this.#onClaims.expect(step.requests, waiting.length);
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
    if (step !== undefined) this.#onClaims.expect(step.requests, -placed);
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
      (place) => this.#onClaims.settle(place),
      () => this.place(one),
    );
  }

  /** The next pods, the strictest step first; how many. */
  #placeNext(one: ClassInWork, turns: readonly StepTurn[], pods: readonly Pod[], from: number): number {
    for (const turn of turns) {
      if (!turn.step.rules.none) this.#refresh(turn.step);
      if (turn.isHopeless) continue;
      const added = this.#onNodes(one, turn, pods, from) || this.#onClaims.place(one, turn, pods, from);
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
}
