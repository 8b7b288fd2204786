/**
 * What claims of a pool may be launched as, worked out once for all claims alike. Karpenter counterpart: none; it filters
 * and sorts all types for every pod.
 */

import type { CandidatePool } from "../claims/candidate-pool.ts";
import { firstPortConflict, type HostPort } from "../pods/host-ports.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import type { ResourceVector } from "../resources/resource-vector.ts";
import { type Bitset, both, emptyBitset, has, include } from "./bitset.ts";
import { LaunchProfile, type RankedType } from "./launch-profile.ts";

/** Each profile once. */
export class LaunchProfiles {
  readonly #known = new Map<string, LaunchProfile>();
  readonly #plainOnes = new Map<CandidatePool, Map<number, LaunchProfile>>();
  readonly #pools = new Map<CandidatePool, number>();
  /** By type of a pool. */
  readonly #rooms = new Map<CandidatePool, readonly ResourceVector[]>();
  #count = 0;
  readonly #width: number;

  constructor(width: number) {
    this.#width = width;
  }

  /** Of claims of the pool that are `set`, may be `allowed` (undefined: any type) and hold these host ports. */
  of(pool: CandidatePool, set: RequirementSet, allowed: Bitset | undefined, ports: readonly HostPort[]): LaunchProfile {
    if (allowed === undefined && ports.length === 0) return this.#plain(pool, set);
    const number = this.#pools.get(pool) ?? this.#pools.size;
    this.#pools.set(pool, number);
    const text = `${number} ${set.id} ${allowed?.join() ?? ""} ${closedGroups(pool, ports)}`;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const made = this.#made(pool, set, allowed, ports);
    this.#known.set(text, made);
    return made;
  }

  #plain(pool: CandidatePool, set: RequirementSet): LaunchProfile {
    let bySet = this.#plainOnes.get(pool);
    if (bySet === undefined) {
      bySet = new Map();
      this.#plainOnes.set(pool, bySet);
    }
    const known = bySet.get(set.id);
    if (known !== undefined) return known;
    const made = this.#made(pool, set, undefined, []);
    bySet.set(set.id, made);
    return made;
  }

  #made(
    pool: CandidatePool,
    set: RequirementSet,
    allowed: Bitset | undefined,
    ports: readonly HostPort[],
  ): LaunchProfile {
    const { index } = pool;
    const rooms = this.#roomsOf(pool);
    let types = index.launchable(set);
    if (allowed !== undefined) types = both(types, allowed);
    if (closedGroups(pool, ports) !== "") types = both(types, openTypes(pool, ports));
    const ranked: RankedType[] = [];
    const most = new Float64Array(this.#width).fill(-Infinity);
    const prices = index.prices(set);
    const order = index.priceOrder(set);
    for (let i = 0; i < order.length; i++) {
      const type = order[i] ?? 0;
      if (!has(types, type)) continue;
      const room = rooms[type];
      if (room !== undefined && !isCovered(room, ranked, most))
        ranked.push({ type, price: prices[type] ?? Infinity, room });
    }
    return new LaunchProfile(this.#count++, types, ranked, this.#width);
  }

  /** Beside the daemons. */
  #roomsOf(pool: CandidatePool): readonly ResourceVector[] {
    const known = this.#rooms.get(pool);
    if (known !== undefined) return known;
    const rooms = pool.index.allocatable.map((all, type) => {
      const overhead = overheadOn(pool, type);
      return overhead === undefined || overhead.every((amount) => amount === 0) ? all : difference(all, overhead);
    });
    this.#rooms.set(pool, rooms);
    return rooms;
  }
}

/** `ranked` has one that is nowhere smaller. `most`: the largest of each amount in them; brought up to date. */
function isCovered(room: ResourceVector, ranked: readonly RankedType[], most: Float64Array): boolean {
  let larger = false;
  for (let d = 0; d < room.length; d++) {
    if ((room[d] ?? 0) <= (most[d] ?? 0)) continue;
    most[d] = room[d] ?? 0;
    larger = true;
  }
  if (larger) return false;
  for (const other of ranked) if (isNowhereSmaller(other.room, room)) return true;
  return false;
}

function isNowhereSmaller(room: ResourceVector, other: ResourceVector): boolean {
  for (let d = 0; d < room.length; d++) if ((room[d] ?? 0) < (other[d] ?? 0)) return false;
  return true;
}

function difference(a: ResourceVector, b: ResourceVector): ResourceVector {
  return a.map((amount, d) => amount - (b[d] ?? 0));
}

function overheadOn({ groups }: CandidatePool, type: number): ResourceVector | undefined {
  for (const { types, overhead } of groups) if (has(types, type)) return overhead;
  return undefined;
}

/** Numbers of the daemon groups whose daemons hold one of the ports. */
function closedGroups({ groups }: CandidatePool, ports: readonly HostPort[]): string {
  if (ports.length === 0) return "";
  return groups.flatMap(({ hostPorts }, i) => (firstPortConflict(hostPorts, ports) === undefined ? [] : [i])).join();
}

function openTypes({ groups, index }: CandidatePool, ports: readonly HostPort[]): Bitset {
  const open = emptyBitset(index.types.length);
  for (const { hostPorts, types } of groups) {
    if (firstPortConflict(hostPorts, ports) === undefined) include(open, types);
  }
  return open;
}
