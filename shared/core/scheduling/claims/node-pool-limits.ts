/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, filterByRemainingResources and
 * subtractMax. It differs: `limits.nodes` is counted within a batch too (Karpenter can exceed it there).
 */
import type { ResourceList } from "#api/core-v1/meta.ts";
import type { Resources } from "../../instance-type.ts";
import { type Bitset, has } from "../instance-types/bitset.ts";
import type { InstanceTypeIndex } from "../instance-types/instance-type-index.ts";
import { resourcesOf } from "../resources/resources.ts";

/** The pseudo-resource that limits the number of nodes. */
export const nodesResource = "nodes";

/** What a NodePool may still grow by. A limit that is used up or negative admits nothing. */
export class NodePoolLimits {
  readonly limits: Resources;
  readonly #usage: Resources;
  readonly #remaining = new Map<string, number>();
  /** What `allowed` answered for an index since the last change. */
  #answer: { readonly index: InstanceTypeIndex; readonly types: Bitset | undefined } | undefined;

  /**
   * `usage`: capacity of the pool's nodes and claims, with `nodes`. A limit beyond what can be counted (8 PiB of memory) is
   * none.
   */
  constructor(limits: ResourceList | undefined, usage: Resources) {
    const amounts = Object.entries(resourcesOf(limits, "down"));
    this.limits = Object.fromEntries(amounts.filter(([, amount]) => amount < Number.MAX_SAFE_INTEGER));
    this.#usage = usage;
    this.rewind();
  }

  get none(): boolean {
    return this.#remaining.size === 0;
  }

  /** As if no claim had been made. */
  rewind(): void {
    this.#answer = undefined;
    for (const [name, limit] of Object.entries(this.limits)) {
      this.#remaining.set(name, limit - (this.#usage[name] ?? 0));
    }
  }

  /** As it is now, whatever comes. */
  undo(): () => void {
    const before = [...this.#remaining];
    return () => {
      this.#answer = undefined;
      for (const [name, amount] of before) this.#remaining.set(name, amount);
    };
  }

  /** So much capacity of the pool goes. */
  release(capacity: Resources): void {
    this.#answer = undefined;
    for (const [name, amount] of this.#remaining) this.#remaining.set(name, amount + (capacity[name] ?? 0));
  }

  remaining(resource: string): number | undefined {
    return this.#remaining.get(resource);
  }

  /** types ∩= those that a new claim may still be launched as. */
  keepAllowed(types: Bitset, index: InstanceTypeIndex): void {
    for (const [name, amount] of this.#remaining) {
      if (name !== nodesResource) index.keepCapacityAtMost(types, name, amount);
      else if (amount < 1) types.fill(0);
    }
  }

  /** The types that a new claim may still be launched as; undefined: all. The caller must not change the result. */
  allowed(index: InstanceTypeIndex): Bitset | undefined {
    if (this.#answer?.index !== index) this.#answer = { index, types: this.#allowed(index) };
    return this.#answer.types;
  }

  #allowed(index: InstanceTypeIndex): Bitset | undefined {
    if (!this.#isNear(index)) return undefined;
    const types = index.all.slice();
    this.keepAllowed(types, index);
    return types.every((word, w) => word === index.all[w]) ? undefined : types;
  }

  /** Some type takes more than is left. */
  #isNear(index: InstanceTypeIndex): boolean {
    for (const [name, amount] of this.#remaining) {
      const largest = name === nodesResource ? 1 : largestCapacity(name, index.all, index);
      if (largest > amount) return true;
    }
    return false;
  }

  /** So many claims may be made whatever they become; Infinity: there is no limit. */
  claimsOfAnyType(index: InstanceTypeIndex): number {
    let claims = Infinity;
    for (const [name, amount] of this.#remaining) {
      const largest = name === nodesResource ? 1 : largestCapacity(name, index.all, index);
      if (largest > 0) claims = Math.min(claims, Math.floor(Math.max(0, amount) / largest));
    }
    return claims;
  }

  /** A new claim counts as the largest type, in each resource, that it may become. */
  charge(canBecome: (type: number) => boolean, index: InstanceTypeIndex): void {
    this.#answer = undefined;
    for (const [name, amount] of this.#remaining) {
      const taken = name === nodesResource ? 1 : capacityOf(name, index.byCapacity(name).find(canBecome), index);
      this.#remaining.set(name, amount - taken);
    }
  }

  /** Some claims become others; false, and nothing changes, when that takes more than is left. */
  exchange(before: readonly Bitset[], after: readonly Bitset[], index: InstanceTypeIndex): boolean {
    const more = [...this.#remaining].map(([name, left]) => {
      const taken = (claims: readonly Bitset[]): number =>
        claims.reduce((sum, types) => sum + (name === nodesResource ? 1 : largestCapacity(name, types, index)), 0);
      return { name, left, amount: taken(after) - taken(before) };
    });
    if (more.some(({ left, amount }) => amount > 0 && amount > left)) return false;
    this.#answer = undefined;
    for (const { name, left, amount } of more) this.#remaining.set(name, left - amount);
    return true;
  }
}

export function largestCapacity(resource: string, types: Bitset, index: InstanceTypeIndex): number {
  const order = index.byCapacity(resource);
  return capacityOf(resource, types === index.all ? order[0] : order.find((type) => has(types, type)), index);
}

function capacityOf(resource: string, type: number | undefined, index: InstanceTypeIndex): number {
  return type === undefined ? 0 : (index.types[type]?.capacity[resource] ?? 0);
}
