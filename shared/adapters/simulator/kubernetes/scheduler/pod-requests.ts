/**
 * An oracle: what a pod takes, written from Kubernetes' rules and apart from
 * shared/core/scheduling/resources/resources.ts on purpose: here is what happens to a plan, so that a mistake of either shows.
 */
import type { ResourceList } from "#api/core-v1/meta.ts";
import type { Container, Pod } from "#api/core-v1/pod.ts";
import { quantityToInteger } from "#api/quantity.ts";

/** Integers by resource name: milli-CPU, bytes, whole units. */
export type Amounts = Readonly<Record<string, number>>;

/**
 * What a pod takes of a node, as kube-scheduler counts it. Init containers run one after the other beside the sidecars
 * started before them, so their peak counts; sidecars stay. Pod-level requests replace the sum of the containers.
 */
export function podRequests(pod: Pod): Amounts {
  const { containers, initContainers = [], overhead, resources } = pod.spec;
  let running: Amounts = {};
  for (const container of containers) running = sum(running, requestsOf(container));
  let sidecars: Amounts = {};
  let peak: Amounts = {};
  for (const container of initContainers) {
    const requests = requestsOf(container);
    if (container.restartPolicy === "Always") {
      sidecars = sum(sidecars, requests);
      peak = largest(peak, sidecars);
    } else peak = largest(peak, sum(sidecars, requests));
  }
  const total = {
    ...largest(sum(running, sidecars), peak),
    ...amounts(resources?.requests ?? resources?.limits, "up"),
  };
  return sum(total, amounts(overhead, "up"));
}

export function amounts(list: ResourceList | undefined, rounding: "up" | "down"): Amounts {
  const entries = Object.entries(list ?? {}).map(([name, text]) => [
    name,
    quantityToInteger(name, text, rounding) ?? 0,
  ]);
  return Object.fromEntries(entries);
}

export function sum(a: Amounts, b: Amounts): Amounts {
  return combine(a, b, (x, y) => x + y);
}

/** A limit without a request is the request. */
function requestsOf(container: Container): Amounts {
  return { ...amounts(container.resources?.limits, "up"), ...amounts(container.resources?.requests, "up") };
}

function largest(a: Amounts, b: Amounts): Amounts {
  return combine(a, b, Math.max);
}

function combine(a: Amounts, b: Amounts, join: (x: number, y: number) => number): Amounts {
  const result: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) result[name] = join(result[name] ?? 0, amount);
  return result;
}
