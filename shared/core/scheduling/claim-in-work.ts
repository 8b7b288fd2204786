/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/nodeclaim.go. It differs in method: a claim is a bitset
 * of the types that it may still become, one requirement set and one vector of requests; many equal pods are added at
 * once, and the answer is the one that adding them one by one would give.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Ask } from "./ask.ts";
import { type Bitset, both, indicesOf } from "./bitset.ts";
import { type CandidatePool, fittingTypes } from "./candidate-pool.ts";
import { firstPortConflict, type HostPort } from "./host-ports.ts";
import { hasMinValues, minValuesShortages } from "./min-values.ts";
import type { NewClaim } from "./new-claim.ts";
import type { RequirementSet, RequirementSets } from "./requirement-set.ts";
import { addTo, type ResourceVector, timesFitting } from "./resource-vector.ts";

export class ClaimInWork {
  readonly pool: CandidatePool;
  readonly pods: Pod[] = [];
  readonly minValuesRelaxed: boolean;
  set: RequirementSet;
  types: Bitset;
  readonly requests: ResourceVector;
  hostPorts: readonly HostPort[];
  /** The most that any of `types` offers, per dimension: a cheap test that says no. */
  #most: ResourceVector | undefined;
  /** Scratch space of #freeOn. */
  readonly #free: ResourceVector;

  constructor(pool: CandidatePool, start: NewClaim) {
    this.pool = pool;
    this.set = start.set;
    this.types = start.types;
    this.requests = new Float64Array(start.requests.length);
    this.hostPorts = [];
    this.#free = new Float64Array(start.requests.length);
    this.minValuesRelaxed = start.minValuesRelaxed;
  }

  /**
   * Adds as many of the next `limit` equal pods as fit; returns how many. The claim's requirements become those of the
   * first alternative under which one fits.
   */
  add(ask: Ask, pods: readonly Pod[], from: number, limit: number, sets: RequirementSets): number {
    if (limit <= 0 || !this.#mayFit(ask) || firstPortConflict(this.hostPorts, ask.hostPorts) !== undefined) return 0;
    const ports = ask.hostPorts.length === 0 ? this.hostPorts : [...this.hostPorts, ...ask.hostPorts];
    for (const set of this.#narrowings(ask, sets)) {
      const within = set.id === this.set.id ? this.types : both(this.types, this.pool.index.launchable(set));
      const times = this.#times(set, within, ask, ports, limit);
      if (times === 0) continue;
      addTo(this.requests, ask.requests, times);
      this.set = set;
      this.types = fittingTypes(this.pool, within, this.requests, ports);
      this.hostPorts = ports;
      this.#most = undefined;
      for (let i = from; i < from + times; i++) {
        const pod = pods[i];
        if (pod !== undefined) this.pods.push(pod);
      }
      return times;
    }
    return 0;
  }

  /** What the claim would become under each alternative; one that takes nothing away comes first. */
  #narrowings(ask: Ask, sets: RequirementSets): readonly RequirementSet[] {
    const narrowed: RequirementSet[] = [];
    for (const alternative of ask.alternatives) {
      const set = sets.narrow(this.set, alternative);
      if (set?.id === this.set.id) return [set];
      if (set !== undefined) narrowed.push(set);
    }
    return narrowed;
  }

  #mayFit(ask: Ask): boolean {
    this.#most ??= this.#mostFree();
    for (let d = 0; d < ask.requests.length; d++) {
      const amount = ask.requests[d] ?? 0;
      if (amount > 0 && (this.requests[d] ?? 0) + amount > (this.#most[d] ?? 0)) return false;
    }
    return true;
  }

  #mostFree(): ResourceVector {
    const most = new Float64Array(this.requests.length);
    for (const group of this.pool.groups) {
      for (const type of indicesOf(both(this.types, group.types))) {
        const allocatable = this.pool.index.allocatable[type];
        for (let d = 0; d < most.length; d++) {
          most[d] = Math.max(most[d] ?? 0, (allocatable?.[d] ?? 0) - (group.overhead[d] ?? 0));
        }
      }
    }
    return most;
  }

  /** How many more fit on the roomiest of `within`; with host ports one, with minValues as many as keep them met. */
  #times(set: RequirementSet, within: Bitset, ask: Ask, ports: readonly HostPort[], limit: number): number {
    const most = this.#timesByRoom(within, ask, ports, ask.hostPorts.length > 0 ? 1 : limit);
    if (most === 0 || !hasMinValues(set)) return most;
    // More pods leave fewer types, so the counts that keep minValues met are a prefix of 1..most.
    let [low, high] = [0, most];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      const total = this.requests.slice();
      addTo(total, ask.requests, middle);
      const types = fittingTypes(this.pool, within, total, ports);
      if (minValuesShortages(set, types, this.pool.index).length === 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #timesByRoom(within: Bitset, ask: Ask, ports: readonly HostPort[], limit: number): number {
    let most = 0;
    for (const group of this.pool.groups) {
      if (firstPortConflict(group.hostPorts, ports) !== undefined) continue;
      for (const type of indicesOf(both(within, group.types))) {
        const free = this.#freeOn(type, group.overhead);
        if (free !== undefined) most = Math.max(most, timesFitting(free, ask.requests, limit));
        if (most === limit) return most;
      }
    }
    return most;
  }

  /** What is left on a node of that type; undefined when some resource is already overdrawn. */
  #freeOn(type: number, overhead: ResourceVector): ResourceVector | undefined {
    const allocatable = this.pool.index.allocatable[type];
    const free = this.#free;
    for (let d = 0; d < free.length; d++) {
      const left = (allocatable?.[d] ?? 0) - (overhead[d] ?? 0) - (this.requests[d] ?? 0);
      if (left < 0) return undefined;
      free[d] = left;
    }
    return free;
  }
}
