/** Amounts of resources, exact: nano-units by name. */
import type { ResourceList } from "#api/core-v1/meta.ts";
import type { Container, Pod, PodSpec } from "#api/core-v1/pod.ts";
import { formatQuantity, parseQuantity } from "#api/quantity.ts";

export type Amounts = ReadonlyMap<string, bigint>;

const one = 1_000_000_000n;

export function amountsOf(list: ResourceList | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text)?.nano ?? 0n]));
}

export function plus(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, (x, y) => x + y);
}

export function minus(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, (x, y) => x - y);
}

export function larger(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, largerOf);
}

export function atLeastZero(a: Amounts): Amounts {
  return new Map([...a].map(([name, amount]) => [name, amount < 0n ? 0n : amount]));
}

export function total(list: readonly Amounts[]): Amounts {
  return list.reduce(plus, new Map());
}

/** What is wanted of some resource beyond what there is, in words; undefined when all fits. */
export function shortage(wanted: Amounts, there: Amounts): string | undefined {
  for (const [name, amount] of wanted) {
    const has = there.get(name) ?? 0n;
    if (amount > 0n && amount > has) return `${name}: ${text(amount)} wanted, ${text(has)} there`;
  }
  return undefined;
}

/**
 * Kubernetes: all containers and sidecars run together; each init container runs with the sidecars started before it;
 * the pod asks for the larger of the two, unless it states requests for itself; overhead comes on top.
 */
export function podRequests(pod: Pod): Amounts {
  const { spec } = pod;
  const requests = (container: Container): Amounts => {
    const status = pod.status?.containerStatuses?.find(({ name }) => name === container.name);
    return larger(amountsOf(container.resources?.requests), amountsOf(status?.allocatedResources));
  };
  const init = spec.initContainers ?? [];
  const sidecars = init.filter(isSidecar).map(requests);
  const together = total([...spec.containers.map(requests), ...sidecars]);
  const starts = init.map((container, i) =>
    total(init.slice(0, i).filter(isSidecar).map(requests).concat(requests(container))),
  );
  const needed = starts.reduce(larger, together);
  const stated = amountsOf(spec.resources?.requests);
  const whole = new Map([...needed, ...stated]);
  return plus(plus(whole, amountsOf(spec.overhead)), new Map([["pods", one]]));
}

export function podSpecRequests(spec: PodSpec): Amounts {
  return podRequests({ apiVersion: "v1", kind: "Pod", metadata: { name: "" }, spec });
}

function isSidecar({ restartPolicy }: Container): boolean {
  return restartPolicy === "Always";
}

function combined(a: Amounts, b: Amounts, how: (x: bigint, y: bigint) => bigint): Amounts {
  const names = new Set([...a.keys(), ...b.keys()]);
  return new Map([...names].map((name) => [name, how(a.get(name) ?? 0n, b.get(name) ?? 0n)]));
}

function largerOf(x: bigint, y: bigint): bigint {
  if (x > y) return x;
  return y;
}

function text(nano: bigint): string {
  return formatQuantity({ nano, format: "DecimalSI" });
}
