/**
 * Finds a place for the next pods of a class on the claims of this batch. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, addToInflightNode, which tries the claim with the fewest pods first
 * (fewest-pods-first.ts). It differs: first a claim that does not get dearer is looked for; then the claim whose next
 * dearer type costs least for each pod that it will take.
 */

import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import type { Topology } from "../topology/topology.ts";
import type { ClaimLanes, PlacedClaim } from "./claim-lanes.ts";
import type { LaneDomains } from "./lane-domains.ts";
import { limitOn, priceEach, type Slot } from "./slot.ts";
import type { LaneEntry, Search } from "./step-lanes.ts";
import type { StepTurn } from "./step-turn.ts";

/**
 * How closely is looked before a claim is taken. Measured over mixes of 700 to 100,000 pods: with more looks a plan takes
 * longer and is no cheaper.
 */
/** Claims of a lane. */
const closeLooksMax = 4;
/** Claims that would grow, over all lanes. */
const candidatesMax = 30;
/** Beyond the next type that fits, so many dearer ones are looked at for their price a pod. */
const ranksAhead = 2;
const priceTolerance = 1e-9;
const noSets: readonly RequirementSet[] = [];

export class ClaimSearch {
  readonly #domains: LaneDomains;
  readonly #lanes: ClaimLanes;
  readonly #sets: RequirementSets;
  readonly #topology: Topology;
  /** What claims may become as counts are now, by entry; asked since the search for the next pods began. */
  #asked: (readonly RequirementSet[] | undefined)[] = [];
  /** So many searches for claims that grow were made. */
  #searches = 0;
  /** Of the slot that `#next` found last, by the rules over hostnames. */
  #limit = 0;

  constructor(domains: LaneDomains, lanes: ClaimLanes, sets: RequirementSets, topology: Topology) {
    this.#domains = domains;
    this.#lanes = lanes;
    this.#sets = sets;
    this.#topology = topology;
  }

  /** On a claim that costs no more with them. `take` answers how many of the next pods came; 0: it is against some rule. */
  whole(turn: StepTurn, take: (slot: Slot) => number): number {
    this.#asked = [];
    const entries = turn.lanes.ordered(this.#lanes, this.#sets, this.#topology);
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i];
      const taken = entry === undefined ? 0 : this.#wholeIn(turn, entry, take);
      if (taken > 0) return taken;
    }
    return 0;
  }

  /** Claims that would get dearer, in no order. `demand`: such pods still to come. To be asked when `whole` found none. */
  growing(turn: StepTurn, demand: number): Slot[] {
    const slots: Slot[] = [];
    this.#searches++;
    for (const entry of turn.lanes.ordered(this.#lanes, this.#sets, this.#topology)) {
      const sets = this.#setsWhereRoom(turn, entry, "any");
      if (sets.length === 0) continue;
      // Older claims may have stopped growing by the dozen: the newest is looked at in any case.
      const newest = entry.lane.places.at(-1);
      this.#limit = newest === undefined ? 0 : limitOn(turn.step.rules, newest.host);
      if (newest !== undefined) this.#lookAt(turn, newest, sets, demand, slots);
      const before = slots.length;
      this.#growingIn(turn, entry, "half", sets, demand, slots);
      if (slots.length - before < closeLooksMax) this.#growingIn(turn, entry, "any", sets, demand, slots);
      if (slots.length >= candidatesMax) return slots;
    }
    return slots;
  }

  /** Most lanes have no room: domains are asked for only where there is some. Whoever has room now has any. */
  #setsWhereRoom(turn: StepTurn, entry: LaneEntry, search: Search): readonly RequirementSet[] {
    const known = this.#asked[entry.index];
    if (known !== undefined) return known;
    if (this.#nextAtCursor(turn, entry, search) < 0) return noSets;
    const sets = this.#domains.setsOf(turn.step, entry);
    this.#asked[entry.index] = sets;
    return sets;
  }

  #wholeIn(turn: StepTurn, entry: LaneEntry, take: (slot: Slot) => number): number {
    const { step } = turn;
    const sets = this.#setsWhereRoom(turn, entry, "whole");
    if (sets.length === 0) return 0;
    let slot = turn.cursors.whole[entry.index] ?? 0;
    for (let looks = 0; slot >= 0 && looks < closeLooksMax; looks++) {
      const place = entry.lane.places[slot];
      if (place === undefined) return 0;
      const limit = this.#limit;
      for (const set of sets) {
        const fit = place.claim.fit(step, set);
        if (fit === undefined || fit.priceMore > priceTolerance) continue;
        const taken = take({ place, fit, limit, priceEach: 0 });
        if (taken > 0) return taken;
      }
      slot = this.#next(turn, entry, "whole", slot + 1);
    }
    return 0;
  }

  #growingIn(
    turn: StepTurn,
    entry: LaneEntry,
    search: Search,
    sets: readonly RequirementSet[],
    demand: number,
    slots: Slot[],
  ): void {
    let slot = this.#nextAtCursor(turn, entry, search);
    for (let looks = 0; slot >= 0 && looks < closeLooksMax && slots.length < candidatesMax; ) {
      const place = entry.lane.places[slot];
      if (place !== undefined && this.#lookAt(turn, place, sets, demand, slots)) looks++;
      slot = this.#next(turn, entry, search, slot + 1);
    }
  }

  /** Adds what the claim offers, which can take `#limit` pods; false when it is there already. */
  #lookAt(turn: StepTurn, place: PlacedClaim, sets: readonly RequirementSet[], demand: number, slots: Slot[]): boolean {
    if (place.offeredTo === this.#searches) return false;
    const limit = this.#limit;
    for (let i = 0; limit > 0 && i < sets.length; i++) {
      const set = sets[i];
      const fit = set === undefined ? undefined : place.claim.fit(turn.step, set);
      if (fit === undefined) continue;
      place.offeredTo = this.#searches;
      slots.push({ place, fit, limit, priceEach: priceEach(fit, place, turn, demand, ranksAhead) });
    }
    return true;
  }

  /** The first slot that the turn has not passed over. */
  #nextAtCursor(turn: StepTurn, entry: LaneEntry, search: Search): number {
    const cursors = turn.cursors[search];
    const slot = this.#next(turn, entry, search, cursors[entry.index] ?? 0);
    cursors[entry.index] = slot < 0 ? entry.lane.places.length : slot;
    return slot;
  }

  /** The first slot from `from` on with such room where the rules over hostnames allow a pod; -1: there is none. */
  #next(turn: StepTurn, entry: LaneEntry, search: Search, from: number): number {
    const { lane } = entry;
    const { rules } = turn.step;
    const wanted = turn.wanted[search];
    const closed = rules.hostText === undefined ? undefined : lane.closedTo(rules.hostText);
    const { rooms } = lane;
    let slot = rooms.first(from, wanted);
    while (slot >= 0) {
      const open = closed?.openFrom(slot) ?? slot;
      if (open === slot) {
        const place = lane.places[slot];
        this.#limit = place === undefined ? 0 : limitOn(rules, place.host);
        if (this.#limit > 0) break;
        closed?.close(slot);
      }
      slot = rooms.first(open === slot ? slot + 1 : open, wanted);
    }
    return slot;
  }
}
