/**
 * Finds a place for the next pods of a class on the claims of this batch. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, addToInflightNode, which tries the claim with the fewest pods first.
 * It differs: first a claim that does not get dearer is looked for; then the claim whose next dearer type costs least for
 * each pod that it will take.
 */
import type { ClaimLanes, PlacedClaim } from "./claim-lanes.ts";
import type { Step } from "./class-in-work.ts";
import type { DomainDraw } from "./domain-draw.ts";
import { LaneDomains } from "./lane-domains.ts";
import type { RequirementSet, RequirementSets } from "./requirement-set.ts";
import { limitOn, priceEach, type Slot } from "./slot.ts";
import type { LaneEntry, Search } from "./step-lanes.ts";
import type { StepTurn } from "./step-turn.ts";
import type { DomainChoices } from "./topology/domain-choice.ts";
import type { Topology } from "./topology/topology.ts";

/** How closely is looked before claims that grow are given up. The more pods will follow, the more it is worth. */
interface Effort {
  /** Claims of a lane. */
  readonly closeLooks: number;
  /** Over all lanes. */
  readonly candidates: number;
  /** Beyond the next type that fits, so many dearer ones are looked at for their price a pod. */
  readonly ranksAhead: number;
}
const effortForFew: Effort = { closeLooks: 4, candidates: 12, ranksAhead: 3 };
const effortForMany: Effort = { closeLooks: 16, candidates: 100, ranksAhead: 8 };
/** So many pods of a class are many. */
const manyPods = 8;
/** Claims of a lane that are looked at for one that does not get dearer. */
const closeLooksMax = 4;
const priceTolerance = 1e-9;

export class ClaimSearch {
  readonly #domains: LaneDomains;
  readonly #lanes: ClaimLanes;
  readonly #sets: RequirementSets;
  readonly #topology: Topology;
  /** By pods, the fewest first, as of the last look; equal ones as they were. */
  #byPods: PlacedClaim[] = [];

  /** `draw`: domains are drawn, and no others tried. */
  constructor(
    choices: DomainChoices,
    lanes: ClaimLanes,
    sets: RequirementSets,
    topology: Topology,
    draw: DomainDraw | undefined,
  ) {
    this.#domains = new LaneDomains(choices, draw);
    this.#lanes = lanes;
    this.#sets = sets;
    this.#topology = topology;
  }

  /** On a claim that costs no more with them. `take` answers how many of the next pods came; 0: it is against some rule. */
  whole(turn: StepTurn, take: (slot: Slot) => number): number {
    for (const entries of turn.lanes.ordered(this.#lanes, this.#sets, this.#topology)) {
      for (const entry of entries) {
        const taken = this.#wholeIn(turn, entry, take);
        if (taken > 0) return taken;
      }
    }
    return 0;
  }

  /** Claims that would get dearer, in no order. `demand`: such pods still to come. */
  growing(turn: StepTurn, demand: number): Slot[] {
    const slots: Slot[] = [];
    const effort = demand < manyPods ? effortForFew : effortForMany;
    for (const entries of turn.lanes.ordered(this.#lanes, this.#sets, this.#topology)) {
      for (const entry of entries) {
        const sets = this.#setsWhereRoom(turn, entry, "any");
        if (sets.length === 0) continue;
        // Older claims may have stopped growing by the dozen: the newest is looked at whatever the effort.
        this.#lookAt(turn, entry.lane.places.at(-1), sets, demand, effort, slots);
        const before = slots.length;
        this.#growingIn(turn, entry, "half", sets, demand, effort, slots);
        if (slots.length - before < effort.closeLooks) this.#growingIn(turn, entry, "any", sets, demand, effort, slots);
        if (slots.length >= effort.candidates) return slots;
      }
    }
    return slots;
  }

  /** All claims that can take one, that with the fewest pods first. */
  *fewestFirst(turn: StepTurn): Generator<Slot> {
    this.#byPods.push(...this.#lanes.claims.slice(this.#byPods.length));
    this.#byPods.sort((a, b) => a.claim.pods.length - b.claim.pods.length);
    const entries = new Map(
      turn.lanes
        .ordered(this.#lanes, this.#sets, this.#topology)
        .flat()
        .map((entry) => [entry.lane, this.#domains.setsOf(turn.step, entry)]),
    );
    for (const place of this.#byPods) {
      const sets = entries.get(place.lane);
      if (sets === undefined || !mayHaveRoom(place, turn.step)) continue;
      if (limitOn(turn.step.rules, place.host) === 0) continue;
      for (const set of sets) {
        const fit = place.claim.fit(turn.step, set);
        if (fit !== undefined) yield { place, fit, limit: 1, priceEach: 0 };
      }
    }
  }

  /** Most lanes have no room: domains are asked for only where there is some. */
  #setsWhereRoom(turn: StepTurn, entry: LaneEntry, search: Search): readonly RequirementSet[] {
    const slot = this.#next(turn, entry, search, turn.cursorOf(search, entry), true);
    return slot < 0 ? [] : this.#domains.setsOf(turn.step, entry);
  }

  #wholeIn(turn: StepTurn, entry: LaneEntry, take: (slot: Slot) => number): number {
    const { step } = turn;
    const sets = this.#setsWhereRoom(turn, entry, "whole");
    if (sets.length === 0) return 0;
    let slot = turn.cursorOf("whole", entry);
    for (let looks = 0; slot >= 0 && looks < closeLooksMax; looks++) {
      const place = entry.lane.places[slot];
      if (place === undefined) return 0;
      const limit = limitOn(step.rules, place.host);
      for (const set of sets) {
        const fit = place.claim.fit(step, set);
        if (fit === undefined || fit.priceMore > priceTolerance) continue;
        const taken = take({ place, fit, limit, priceEach: 0 });
        if (taken > 0) return taken;
      }
      slot = this.#next(turn, entry, "whole", slot + 1, false);
    }
    return 0;
  }

  #growingIn(
    turn: StepTurn,
    entry: LaneEntry,
    search: Search,
    sets: readonly RequirementSet[],
    demand: number,
    effort: Effort,
    slots: Slot[],
  ): void {
    let slot = this.#next(turn, entry, search, turn.cursorOf(search, entry), true);
    for (let looks = 0; slot >= 0 && looks < effort.closeLooks && slots.length < effort.candidates; ) {
      const place = entry.lane.places[slot];
      if (this.#lookAt(turn, place, sets, demand, effort, slots)) looks++;
      slot = this.#next(turn, entry, search, slot + 1, false);
    }
  }

  /** Adds what the claim offers; false when it is there already. */
  #lookAt(
    turn: StepTurn,
    place: PlacedClaim | undefined,
    sets: readonly RequirementSet[],
    demand: number,
    effort: Effort,
    slots: Slot[],
  ): boolean {
    if (place === undefined || slots.some((one) => one.place === place)) return false;
    const limit = limitOn(turn.step.rules, place.host);
    for (const set of limit === 0 ? [] : sets) {
      const fit = place.claim.fit(turn.step, set);
      if (fit === undefined) continue;
      slots.push({ place, fit, limit, priceEach: priceEach(fit, place, turn, demand, effort.ranksAhead) });
    }
    return true;
  }

  /** The first slot from `from` on with such room where the rules over hostnames allow a pod; -1: there is none. */
  #next(turn: StepTurn, entry: LaneEntry, search: Search, from: number, atCursor: boolean): number {
    const { lane } = entry;
    const { rules } = turn.step;
    const wanted = turn.wanted[search];
    const closed = rules.hostText === undefined ? undefined : lane.closedTo(rules.hostText);
    let slot = lane.first(from, wanted);
    while (slot >= 0) {
      const open = closed?.openFrom(slot) ?? slot;
      if (open === slot) {
        const place = lane.places[slot];
        if (place !== undefined && limitOn(rules, place.host) > 0) break;
        closed?.close(slot);
      }
      slot = lane.first(open === slot ? slot + 1 : open, wanted);
    }
    if (atCursor) turn.passBefore(search, entry, slot < 0 ? lane.places.length : slot);
    return slot;
  }
}

/** Volumes that are attached already need none, so attachments are not looked at. */
function mayHaveRoom({ claim, lane }: PlacedClaim, step: Step): boolean {
  if (step.shared.length > 0) return true;
  const { most } = lane.profile;
  for (let d = 0; d < most.length; d++) {
    if ((claim.requests[d] ?? 0) + (step.requests[d] ?? 0) > (most[d] ?? 0)) return false;
  }
  return true;
}
