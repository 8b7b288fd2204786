/**
 * Karpenter counterpart: pkg/utils/resources/resources.go. It differs: amounts are integers, parsed once; requests round
 * up and capacities round down, so that rounding never makes a pod fit.
 */
import type { ResourceList } from "#api/core-v1/meta.ts";
import type { Container, PodSpec, PodStatus } from "#api/core-v1/pod.ts";
import { integerToQuantity, quantityToInteger } from "#api/quantity.ts";
import type { Resources } from "../../instance-type.ts";

export const noResources: Resources = {};

/** A quantity that cannot be read counts as 0; the door of `api` lets none in. */
export function resourcesOf(list: ResourceList | undefined, rounding: "up" | "down"): Resources {
  const amounts: Record<string, number> = {};
  for (const name in list) amounts[name] = quantityToInteger(name, list[name] ?? "", rounding) ?? 0;
  return amounts;
}

/** Sorted by name; amounts in their canonical text. */
export function resourceListOf(resources: Resources): ResourceList {
  const list: Record<string, string> = {};
  for (const name of Object.keys(resources).sort()) list[name] = integerToQuantity(name, resources[name] ?? 0);
  return list;
}

/**
 * What one pod takes of a node, `pods: 1` included (Kubernetes' rule with sidecars, KEP-753): the larger of all
 * containers with all sidecars, and each init container with the sidecars started before it; pod-level requests stand in
 * for that sum; overhead comes on top.
 */
export function podRequests(spec: PodSpec, status?: PodStatus): Resources {
  let running: Resources = noResources;
  let peak: Resources = noResources;
  for (const container of spec.initContainers ?? []) {
    const requests = requestsOf(container, status);
    if (container.restartPolicy === "Always") {
      running = sum(running, requests);
      peak = largest(peak, running);
    } else {
      peak = largest(peak, sum(running, requests));
    }
  }
  for (const container of spec.containers) running = sum(running, requestsOf(container, status));
  const containers = largest(running, peak);
  const podLevel = resourcesOf(spec.resources?.requests, "up");
  const total = sum({ ...containers, ...podLevel }, resourcesOf(spec.overhead, "up"));
  return { ...total, pods: 1 };
}

export function sum(a: Resources, b: Resources): Resources {
  return merged(a, b, (x, y) => x + y);
}

export function largest(a: Resources, b: Resources): Resources {
  return merged(a, b, Math.max);
}

/** a − b where that is positive, else 0; names of `a` only. */
export function excess(a: Resources, b: Resources): Resources {
  return Object.fromEntries(Object.entries(a).map(([name, amount]) => [name, Math.max(0, amount - (b[name] ?? 0))]));
}

function requestsOf(container: Container, status: PodStatus | undefined): Resources {
  const requests = resourcesOf(container.resources?.requests, "up");
  const allocated = status?.containerStatuses?.find((other) => other.name === container.name)?.allocatedResources;
  return allocated === undefined ? requests : largest(requests, resourcesOf(allocated, "up"));
}

function merged(a: Resources, b: Resources, combine: (x: number, y: number) => number): Resources {
  const amounts: Record<string, number> = { ...a };
  for (const name in b) amounts[name] = combine(amounts[name] ?? 0, b[name] ?? 0);
  return amounts;
}
