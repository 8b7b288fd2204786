import { parseQuantity, quantityText, quantityToInteger } from "../quantity.ts";
import { list, map } from "../shape/collection.ts";
import { object, optional, required } from "../shape/object.ts";
import { text } from "../shape/scalar.ts";
import { adjusted, fail, mustBe, type Rule, type Shape } from "../shape/shape.ts";
import type { ResourceList } from "./meta.ts";
import { labelKeyProblem } from "./name-validation.ts";
import type { ResourceRequirements } from "./pod.ts";

/** Nearly all quantities look like this; the others take the exact way. */
const plain = /^[0-9]{1,15}(m|k|[KMGT]i|[MGT])?$/;

/** A quantity as text; the API takes JSON numbers too. */
export const quantity: Shape<string> = (value, at, notes) => {
  if (typeof value === "string" && plain.test(value)) return value;
  const written = quantityText(value);
  if (written === undefined || parseQuantity(written) === undefined) {
    return mustBe(notes, at, 'a quantity such as 2, "500m" or "4Gi"', value);
  }
  return written;
};

const notNegative: Shape<string> = (value, at, notes) => {
  const read = quantity(value, at, notes);
  const negative = read?.startsWith("-") === true && (parseQuantity(read)?.nano ?? 0n) < 0n;
  return negative ? fail(notes, at, `must not be negative; got ${read}`) : read;
};

export const resourceList: Shape<ResourceList> = map(notNegative, { wrongKey: labelKeyProblem });

const standardResources: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

function containerResourceProblem(name: string): string | undefined {
  if (standardResources.has(name) || name.startsWith("hugepages-")) return undefined;
  if (name.includes("/")) return labelKeyProblem(name);
  return `must be cpu, memory, ephemeral-storage, hugepages-… or a name with a domain such as nvidia.com/gpu; got ${JSON.stringify(name)}`;
}

export const containerResources: Shape<ResourceList> = map(notNegative, { wrongKey: containerResourceProblem });

const withinLimits: Rule<ResourceRequirements> = ({ requests = {}, limits = {} }, note) => {
  for (const [name, request] of Object.entries(requests)) {
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    if (limit === undefined) continue;
    const wanted = quantityToInteger(name, request, "up") ?? 0;
    const most = quantityToInteger(name, limit, "up") ?? Number.POSITIVE_INFINITY;
    if (wanted > most) note(`must be at most the limit ${limit}; got ${request}`, "requests", [name]);
  }
};

const givenRequirements = object<ResourceRequirements>(
  {
    requests: optional(containerResources),
    limits: optional(containerResources),
    claims: optional(list(object({ name: required(text({ min: 1 })) }, { others: ["request"] }))),
  },
  { rules: [withinLimits], others: [] },
);

/** Resources of a pod as a whole: what is requested of them is settled where its containers are known. */
export const podResources: Shape<ResourceRequirements> = givenRequirements;

/** Kubernetes: a container with a limit and no request for a resource requests its limit. */
export const resourceRequirements: Shape<ResourceRequirements> = adjusted(givenRequirements, (resources) =>
  withRequests(resources, resources.limits ?? {}),
);

/** `resources` with a request for each of `fallback` that has none. */
export function withRequests(resources: ResourceRequirements, fallback: ResourceList): ResourceRequirements {
  const requests = resources.requests ?? {};
  const missing = Object.entries(fallback).filter(([name]) => !Object.hasOwn(requests, name));
  return missing.length === 0 ? resources : { ...resources, requests: { ...requests, ...Object.fromEntries(missing) } };
}
