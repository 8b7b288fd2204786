/**
 * What the claims of each lane would become for pods that ask the same of nodes, found once for all of them. Karpenter
 * counterpart: none; it asks every claim for every pod.
 */

import { type RoomAsk, roomAsk } from "../nodes/room-tree.ts";
import type { Step } from "../pods/class-in-work.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import type { ResourceVector } from "../resources/resource-vector.ts";
import type { Topology } from "../topology/topology.ts";
import type { Whereabouts } from "../topology/whereabouts.ts";
import type { CandidatePool } from "./candidate-pool.ts";
import type { ClaimLane, ClaimLanes } from "./claim-lanes.ts";

/** A claim of the lane under one of the alternatives. */
export interface Target {
  readonly set: RequirementSet;
  readonly whereabouts: Whereabouts;
}

export interface LaneEntry {
  /** Its number, in the order in which lanes came. */
  readonly index: number;
  readonly lane: ClaimLane;
  /** At least one; one that takes nothing away comes alone. */
  readonly targets: readonly Target[];
  readonly sets: readonly RequirementSet[];
}

/** How much room a search wants a claim to have on the type that it costs now: for the pod, for half of it, or any. */
export const searches = ["whole", "half", "any"] as const;
export type Search = (typeof searches)[number];

export type Wanted = Readonly<Record<Search | "ofNodes", RoomAsk>>;

export class StepLanes {
  /** Those that the step takes as they are, then the others; each in the order in which lanes came. */
  readonly #ordered: LaneEntry[] = [];
  #own = 0;
  readonly #ask: Pick<Step, "alternatives" | "pools">;
  #seen = 0;

  constructor(ask: Pick<Step, "alternatives" | "pools">) {
    this.#ask = ask;
  }

  /** First those that need not change. */
  ordered({ lanes }: ClaimLanes, sets: RequirementSets, topology: Topology): readonly LaneEntry[] {
    for (; this.#seen < lanes.length; this.#seen++) {
      const lane = lanes[this.#seen];
      const targets = lane === undefined ? [] : this.#targetsOf(lane, sets, topology);
      const [first] = targets;
      if (lane === undefined || first === undefined) continue;
      const entry = { index: this.#ordered.length, lane, targets, sets: targets.map(({ set }) => set) };
      if (first.set === lane.set) this.#ordered.splice(this.#own++, 0, entry);
      else this.#ordered.push(entry);
    }
    return this.#ordered;
  }

  #targetsOf({ pool, set }: ClaimLane, sets: RequirementSets, topology: Topology): readonly Target[] {
    if (!this.#ask.pools.includes(pool)) return [];
    const targets: Target[] = [];
    for (const alternative of this.#ask.alternatives) {
      const narrowed = sets.narrow(set, alternative);
      if (narrowed === undefined) continue;
      const target = { set: narrowed, whereabouts: topology.ofSet(pool, narrowed) };
      if (narrowed === set) return [target];
      targets.push(target);
    }
    return targets;
  }
}

/** The lanes of one attempt as each kind of ask sees them. */
export class LaneBook {
  readonly #isAttachment: readonly boolean[];
  readonly #byAsk = new Map<Step["alternatives"], Map<readonly CandidatePool[], StepLanes>>();
  readonly #wanted = new Map<ResourceVector, Wanted>();

  constructor(isAttachment: readonly boolean[]) {
    this.#isAttachment = isAttachment;
  }

  lanesOf(step: Step): StepLanes {
    let byPools = this.#byAsk.get(step.alternatives);
    if (byPools === undefined) {
      byPools = new Map();
      this.#byAsk.set(step.alternatives, byPools);
    }
    let lanes = byPools.get(step.pools);
    if (lanes === undefined) {
      lanes = new StepLanes(step);
      byPools.set(step.pools, lanes);
    }
    return lanes;
  }

  wantedBy({ requests, shared }: Step): Wanted {
    // An attachment that others share may be there already, so such room is not asked for before a place is looked at.
    if (shared.length > 0) return wantedFor(requests, this.#isAttachment);
    let known = this.#wanted.get(requests);
    if (known === undefined) {
      known = wantedFor(requests, []);
      this.#wanted.set(requests, known);
    }
    return known;
  }
}

/** A claim notes what it has now, then what it may come to have, which is never less (claim-lanes.ts). */
function wantedFor(requests: ResourceVector, open: readonly boolean[]): Wanted {
  const now = [...requests].map((amount, d) => (amount > 0 && open[d] !== true ? amount : undefined));
  const nothing = now.map(() => undefined);
  const half = now.map((amount) => (amount === undefined ? undefined : amount / 2));
  return {
    whole: roomAsk(now),
    half: roomAsk([...half, ...now]),
    any: roomAsk([...nothing, ...now]),
    ofNodes: roomAsk(now),
  };
}
