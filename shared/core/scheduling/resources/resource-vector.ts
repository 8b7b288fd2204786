/**
 * Karpenter counterpart: pkg/utils/resources/resources.go. It differs: amounts are numbers in a fixed order, not texts
 * in a map.
 */
import type { Resources } from "../../instance-type.ts";
import { driverOfResource } from "../volumes/csi-driver.ts";

/** Amounts of one problem's resources, in the order of its dimensions. */
export type ResourceVector = Float64Array;

/**
 * The resources that some pod or DaemonSet of a problem asks for: the only ones that decide a fit. They make a dense
 * vector, so that adding and comparing touch numbers only.
 */
export class Dimensions {
  readonly names: readonly string[];
  /** Of none of them anything. */
  readonly nothing: ResourceVector;
  /** Of the volumes to attach among them, by dimension. */
  readonly #drivers: readonly (readonly [dimension: number, driver: string])[];

  constructor(requests: Iterable<Resources>) {
    const names = new Set<string>(["cpu", "memory", "pods"]);
    for (const resources of requests) for (const name of Object.keys(resources)) names.add(name);
    this.names = [...names].sort();
    this.nothing = new Float64Array(this.names.length);
    this.#drivers = this.names.flatMap((name, d) => {
      const driver = driverOfResource(name);
      return driver === undefined ? [] : [[d, driver] as const];
    });
  }

  vectorOf(resources: Resources): ResourceVector {
    const vector = new Float64Array(this.names.length);
    const { names } = this;
    for (let d = 0; d < names.length; d++) vector[d] = resources[names[d] ?? ""] ?? 0;
    return vector;
  }

  /** What a node has: of a resource that it does not name nothing, of volumes to attach as many as one likes. */
  roomOf(resources: Resources, volumeLimits: Readonly<Record<string, number>> = {}): ResourceVector {
    const room = this.vectorOf(resources);
    for (const [d, driver] of this.#drivers) {
      room[d] = resources[this.names[d] ?? ""] ?? volumeLimits[driver] ?? Infinity;
    }
    return room;
  }

  /** The amounts above zero, by name. */
  resourcesOf(vector: ResourceVector): Resources {
    const amounts: Record<string, number> = {};
    for (const [d, name] of this.names.entries()) {
      const amount = vector[d] ?? 0;
      if (amount !== 0) amounts[name] = amount;
    }
    return amounts;
  }
}

/** into += times × other */
export function addTo(into: ResourceVector, other: ResourceVector, times: number): void {
  for (let d = 0; d < into.length; d++) into[d] = (into[d] ?? 0) + times * (other[d] ?? 0);
}

/** How often `request` fits into `free`, at most `limit` times. A resource that is not requested does not matter. */
export function timesFitting(free: ResourceVector, request: ResourceVector, limit: number): number {
  let times = limit;
  for (let d = 0; d < request.length; d++) {
    const amount = request[d] ?? 0;
    if (amount <= 0) continue;
    const most = Math.floor((free[d] ?? 0) / amount);
    if (most < times) {
      if (most <= 0) return 0;
      times = most;
    }
  }
  return times;
}
