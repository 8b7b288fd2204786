import type { Resources } from "#core/instance-type.ts";
import type { Sample } from "./sample.ts";

/** A sample for each resource; CPU in cores, all else in its own unit. */
export function resourceSamples(
  name: string,
  labels: Readonly<Record<string, string>>,
  resources: Resources,
): readonly Sample[] {
  return Object.entries(resources).map(([resource, amount = 0]) => ({
    name,
    labels: { ...labels, resource_type: resource.replace(/[^a-z0-9]/gi, "_") },
    value: resource === "cpu" ? amount / 1000 : amount,
  }));
}
