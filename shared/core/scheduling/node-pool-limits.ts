/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, filterByRemainingResources and
 * subtractMax. It differs: `limits.nodes` is counted within a batch too (Karpenter can exceed it there).
 */
import type { ResourceList } from "#api/core-v1/meta.ts";
import type { Resources } from "../instance-type.ts";
import { type Bitset, has, keep } from "./bitset.ts";
import type { InstanceTypeIndex } from "./instance-type-index.ts";
import { resourcesOf } from "./resources.ts";

/** The pseudo-resource that limits the number of nodes. */
export const nodesResource = "nodes";

/** What a NodePool may still grow by. A limit that is used up or negative admits nothing. */
export class NodePoolLimits {
  readonly limits: Resources;
  readonly #remaining = new Map<string, number>();

  /** `usage`: capacity of the pool's nodes and claims, with `nodes`. */
  constructor(limits: ResourceList | undefined, usage: Resources) {
    this.limits = resourcesOf(limits, "down");
    for (const [name, limit] of Object.entries(this.limits)) this.#remaining.set(name, limit - (usage[name] ?? 0));
  }

  remaining(resource: string): number | undefined {
    return this.#remaining.get(resource);
  }

  /** types ∩= those that a new claim may still be launched as. */
  keepAllowed(types: Bitset, index: InstanceTypeIndex): void {
    for (const [name, amount] of this.#remaining) {
      if (name !== nodesResource) keep(types, index.withCapacityAtMost(name, amount));
      else if (amount < 1) types.fill(0);
    }
  }

  /** A new claim may become any of `types`: it counts as the largest of them in each resource. */
  charge(types: Bitset, index: InstanceTypeIndex): void {
    for (const [name, amount] of this.#remaining) {
      const taken = name === nodesResource ? 1 : largestCapacity(name, types, index);
      this.#remaining.set(name, amount - taken);
    }
  }
}

export function largestCapacity(resource: string, types: Bitset, index: InstanceTypeIndex): number {
  let largest = 0;
  for (const [type, { capacity }] of index.types.entries()) {
    const amount = capacity[resource] ?? 0;
    if (amount > largest && has(types, type)) largest = amount;
  }
  return largest;
}
