/**
 * The claims of a batch, sorted into lanes: claims of one pool that are the same but for their load. What a class of pods
 * may do with a lane is found once; which claim of it has room is found without looking at all of them (nodes/room-tree.ts).
 * Karpenter counterpart: none; it asks every claim for every pod.
 */

import type { LaunchProfile } from "../instance-types/launch-profile.ts";
import { RoomTree } from "../nodes/room-tree.ts";
import type { Step } from "../pods/class-in-work.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import type { Membership } from "../topology/topology.ts";
import type { Place, Whereabouts } from "../topology/whereabouts.ts";
import type { CandidatePool } from "./candidate-pool.ts";
import type { ClaimInWork } from "./claim-in-work.ts";

/** Pods of one class that came to a claim together. */
export interface PodRun {
  readonly step: Step;
  readonly membership: Membership;
  readonly count: number;
}

/** A claim of this batch as a place for pods. */
export interface PlacedClaim extends Place {
  readonly claim: ClaimInWork;
  /** Who came, in order: their counts move when the claim's domain is settled. */
  readonly runs: PodRun[];
  lane: ClaimLane;
  /** Its number in the lane. */
  slot: number;
  /** Number of the last search that it offered itself to (claim-search.ts). */
  offeredTo: number;
}

/** Slots that are closed for good, so that a search can step over them however many lie side by side. */
export class ClosedSlots {
  /** Of a closed slot: one after it, with nothing but closed ones between. */
  readonly #after: (number | undefined)[] = [];

  close(slot: number): void {
    this.#after[slot] = slot + 1;
  }

  /** The first slot from `slot` on that is not closed. */
  openFrom(slot: number): number {
    let open = slot;
    for (let after = this.#after[open]; after !== undefined; after = this.#after[open]) open = after;
    // The way is shortened for the next one who comes along.
    for (let at = slot; at !== open; ) {
      const after = this.#after[at] ?? open;
      this.#after[at] = open;
      at = after;
    }
    return open;
  }
}

export class ClaimLane {
  readonly pool: CandidatePool;
  readonly set: RequirementSet;
  readonly profile: LaunchProfile;
  readonly whereabouts: Whereabouts;
  /** By slot; a claim that has left leaves a hole. */
  readonly places: (PlacedClaim | undefined)[] = [];
  /** Of each place the room now, then the room that it may come to have. */
  readonly rooms: RoomTree;
  readonly #width: number;
  readonly #room: Float64Array;
  readonly #closed = new Map<string, ClosedSlots>();

  constructor(claim: ClaimInWork, whereabouts: Whereabouts) {
    this.pool = claim.pool;
    this.set = claim.set;
    this.profile = claim.profile;
    this.whereabouts = whereabouts;
    this.#width = claim.requests.length;
    this.#room = new Float64Array(2 * this.#width);
    this.rooms = new RoomTree(2 * this.#width);
  }

  /** To classes whose rules over hostnames have this text (topology/class-rules.ts). */
  closedTo(hostText: string): ClosedSlots {
    let closed = this.#closed.get(hostText);
    if (closed === undefined) {
      closed = new ClosedSlots();
      this.#closed.set(hostText, closed);
    }
    return closed;
  }

  /** Returns the slot. */
  put(place: PlacedClaim): number {
    this.places.push(place);
    return this.rooms.push();
  }

  take(slot: number): void {
    this.places[slot] = undefined;
    this.rooms.remove(slot);
  }

  /** Writes down what the claim has left: on the type that it costs now, and on the largest that it may become. */
  note({ claim, slot }: PlacedClaim): void {
    const width = this.#width;
    const now = this.profile.rooms[claim.rank];
    for (let d = 0; d < width; d++) {
      const used = claim.requests[d] ?? 0;
      this.#room[d] = (now?.[d] ?? 0) - used;
      this.#room[width + d] = (this.profile.most[d] ?? 0) - used;
    }
    this.rooms.set(slot, this.#room);
  }
}

export class ClaimLanes {
  readonly lanes: ClaimLane[] = [];
  /** In the order in which they were made. */
  readonly claims: PlacedClaim[] = [];
  readonly #byText = new Map<string, ClaimLane>();

  laneOf(claim: ClaimInWork, whereabouts: Whereabouts): ClaimLane {
    const text = `${claim.profile.id} ${claim.set.id}`;
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const lane = new ClaimLane(claim, whereabouts);
    this.#byText.set(text, lane);
    this.lanes.push(lane);
    return lane;
  }

  enter(claim: ClaimInWork, host: number, whereabouts: Whereabouts): PlacedClaim {
    const lane = this.laneOf(claim, whereabouts);
    const place: PlacedClaim = { claim, runs: [], host, whereabouts, lane, slot: -1, offeredTo: 0 };
    place.slot = lane.put(place);
    lane.note(place);
    this.claims.push(place);
    return place;
  }

  /** The claim took pods or became another. */
  update(place: PlacedClaim): void {
    const { claim } = place;
    const stays = claim.set === place.lane.set && claim.profile === place.lane.profile;
    if (!stays) {
      const lane = this.laneOf(claim, place.whereabouts);
      place.lane.take(place.slot);
      place.lane = lane;
      place.slot = lane.put(place);
    }
    place.lane.note(place);
  }
}
