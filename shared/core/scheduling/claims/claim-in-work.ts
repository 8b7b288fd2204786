/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/nodeclaim.go. It differs in method: a claim is one
 * requirement set, one vector of requests and the rank of the cheapest type with room for them; many equal pods are added
 * at once, and the answer is the one that adding them one by one would give.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { type Bitset, has, isEmpty } from "../instance-types/bitset.ts";
import type { LaunchProfile } from "../instance-types/launch-profile.ts";
import { type Held, nothingHeld, type Settled } from "../instance-types/reservations.ts";
import type { Ask } from "../pods/ask.ts";
import { firstPortConflict, type HostPort } from "../pods/host-ports.ts";
import { hasMinValues, minValuesShortages } from "../requirements/min-values.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import { addTo, type ResourceVector } from "../resources/resource-vector.ts";
import { SharedVolumes } from "../volumes/shared-volumes.ts";
import { type CandidatePool, fitsOn, fittingTypes } from "./candidate-pool.ts";
import type { ClaimContext } from "./claim-context.ts";
import type { NewClaim } from "./new-claim.ts";

/** A way for a claim to take at least one pod of a class. */
export interface Fit {
  readonly set: RequirementSet;
  readonly profile: LaunchProfile;
  /** Of the cheapest type that has room then. */
  readonly rank: number;
  /** Per hour, more than the claim costs now. */
  readonly priceMore: number;
}

export class ClaimInWork {
  readonly pool: CandidatePool;
  readonly pods: Pod[] = [];
  readonly minValuesRelaxed: boolean;
  readonly requests: ResourceVector;
  set: RequirementSet;
  profile: LaunchProfile;
  /** In `profile`, of the cheapest type with room for `requests`. */
  rank = 0;
  hostPorts: readonly HostPort[] = [];
  held: Held = nothingHeld;
  readonly #allowed: Bitset | undefined;
  readonly #volumes: SharedVolumes;
  readonly #context: ClaimContext;
  /** Neither limits on values nor reservations depend on which types are left. */
  readonly #plain: boolean;

  constructor(pool: CandidatePool, start: NewClaim, context: ClaimContext) {
    this.pool = pool;
    this.#context = context;
    this.#allowed = start.allowed;
    this.#volumes = new SharedVolumes([], context.dimensions);
    this.#hold(start.held);
    this.set = start.set;
    this.profile = context.profiles.of(pool, start.set, start.allowed, this.hostPorts);
    this.requests = new Float64Array(context.dimensions.names.length);
    this.minValuesRelaxed = start.minValuesRelaxed;
    this.#plain = context.reservations.none && !hasMinValues(start.set);
  }

  /** Types that it might be from the start; undefined: all of its pool. */
  get allowed(): Bitset | undefined {
    return this.#allowed;
  }

  /** The types with room for all that is on it. */
  get types(): Bitset {
    return fittingTypes(this.pool, this.profile.types, this.requests, this.hostPorts);
  }

  /** It is one of `types`. */
  canBecome(type: number): boolean {
    return has(this.profile.types, type) && fitsOn(this.pool, type, this.requests, this.hostPorts);
  }

  /** Those that would have room for so much more. */
  typesWith(requests: ResourceVector): Bitset {
    const total = this.requests.slice();
    addTo(total, requests, 1);
    return fittingTypes(this.pool, this.profile.types, total, this.hostPorts);
  }

  get price(): number {
    return this.profile.prices[this.rank] ?? 0;
  }

  /** What it takes to add one pod under one of its alternatives; `set`: that alternative with what the claim is. */
  fit(ask: Ask, set: RequirementSet): Fit | undefined {
    const { shared, hostPorts } = ask;
    if (hostPorts.length > 0 && firstPortConflict(this.hostPorts, hostPorts) !== undefined) return undefined;
    const same = set === this.set && hostPorts.length === 0;
    const profile = same ? this.profile : this.#profileOf(set, this.#portsWith(ask));
    const requests = shared.length > 0 ? this.#volumes.restOf(ask).requests : ask.requests;
    const isNew = this.pods.length === 0;
    const rank =
      isNew && shared.length === 0
        ? profile.rankAlone(requests)
        : profile.rankFor(this.requests, requests, same ? this.rank : 0);
    if (rank < 0) return undefined;
    const before = isNew ? 0 : (this.profile.prices[this.rank] ?? 0);
    return { set, profile, rank, priceMore: (profile.prices[rank] ?? 0) - before };
  }

  /** Adds as many of the next `limit` equal pods as that type takes; returns how many, 0 when other rules are against it. */
  add(fit: Fit, ask: Ask, pods: readonly Pod[], from: number, limit: number): number {
    if (ask.shared.length > 0) {
      const { requests } = this.#volumes.restOf(ask);
      if (this.#addPlain(fit, { ...ask, requests }, pods, from, 1) === 0) return 0;
      this.#volumes.attach(ask);
      return 1;
    }
    return this.#addPlain(fit, ask, pods, from, ask.hostPorts.length > 0 ? Math.min(1, limit) : limit);
  }

  /** Becomes `set`, which asks for more than it is; returns how to take that back. Undefined: no type that is left can be that. */
  narrow(set: RequirementSet): (() => void) | undefined {
    const profile = this.#profileOf(set, this.hostPorts);
    const settled = this.#settled({ set, profile }, this.requests, this.hostPorts);
    if (settled === undefined) return undefined;
    const before: Settled = { set: this.set, types: this.types, held: this.held };
    this.#become(settled, this.hostPorts);
    return () => this.#become(before, this.hostPorts);
  }

  #addPlain(fit: Fit, ask: Ask, pods: readonly Pod[], from: number, limit: number): number {
    const ports = ask.hostPorts.length === 0 ? this.hostPorts : this.#portsWith(ask);
    const times = this.#plain
      ? fit.profile.timesAt(fit.rank, this.requests, ask.requests, limit)
      : this.#settledTimes(fit, ask, ports, limit);
    if (times === 0) return 0;
    if (this.#plain) {
      addTo(this.requests, ask.requests, times);
      this.hostPorts = ports;
      this.set = fit.set;
      this.profile = fit.profile;
      this.rank = fit.rank;
    }
    for (let i = from; i < from + times; i++) {
      const pod = pods[i];
      if (pod !== undefined) this.pods.push(pod);
    }
    return times;
  }

  /** More pods leave fewer types, so the counts that keep minValues met and reservations held are a prefix of 1, 2, …. */
  #settledTimes(fit: Fit, ask: Ask, ports: readonly HostPort[], limit: number): number {
    const most = fit.profile.timesAt(fit.rank, this.requests, ask.requests, limit);
    let [low, high] = [0, most];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#settled(fit, this.#total(ask, middle), ports) === undefined) high = middle - 1;
      else low = middle;
    }
    const settled = low === 0 ? undefined : this.#settled(fit, this.#total(ask, low), ports);
    if (settled === undefined) return 0;
    addTo(this.requests, ask.requests, low);
    this.#become(settled, ports);
    return low;
  }

  #total(ask: Ask, times: number): ResourceVector {
    const total = this.requests.slice();
    addTo(total, ask.requests, times);
    return total;
  }

  /** Undefined: too few types or values would be left, or it would lose the reservations that it could have. */
  #settled(
    { set, profile }: Pick<Fit, "set" | "profile">,
    requests: ResourceVector,
    ports: readonly HostPort[],
  ): Settled | undefined {
    const types = fittingTypes(this.pool, profile.types, requests, ports);
    if (isEmpty(types)) return undefined;
    const { reservations, sets } = this.#context;
    const settled = reservations.settle(set, types, this.held, this.pool.index, sets);
    if (settled === undefined || !hasMinValues(settled.set)) return settled;
    return minValuesShortages(settled.set, settled.types, this.pool.index).length === 0 ? settled : undefined;
  }

  #become({ set, held }: Settled, ports: readonly HostPort[]): void {
    this.set = set;
    this.#hold(held);
    this.hostPorts = ports;
    this.profile = this.#profileOf(set, ports);
    this.rank = this.profile.rankFor(this.requests, this.#context.dimensions.nothing, 0);
  }

  #hold(held: Held): void {
    this.#context.reservations.exchange(this.held, held);
    this.held = held;
  }

  #profileOf(set: RequirementSet, ports: readonly HostPort[]): LaunchProfile {
    return this.#context.profiles.of(this.pool, set, this.#allowed, ports);
  }

  #portsWith({ hostPorts }: Ask): readonly HostPort[] {
    return hostPorts.length === 0 ? this.hostPorts : [...this.hostPorts, ...hostPorts];
  }
}
