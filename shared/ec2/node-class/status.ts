import type { Condition, Json } from "#api/core-v1/meta.ts";
import type { EC2NodeClass, EC2NodeClassStatus } from "#api/ec2-v1/ec2nodeclass.ts";
import { sameConditions } from "#core/condition.ts";
import type { Resolution } from "./resolution.ts";

/**
 * The merge patch that brings the status to `resolution`; undefined when it says so already. What could not be read
 * stays. Subnets keep their order while the set is the same: free addresses change all the time.
 */
export function statusPatch(
  nodeClass: EC2NodeClass,
  resolution: Resolution,
  conditions: readonly Condition[],
): Readonly<Record<string, Json>> | undefined {
  const status = nodeClass.status ?? {};
  const patch: Record<string, Json> = {};
  const subnets = subnetsOf(status, resolution);
  if (subnets !== undefined && !sameJson(status.subnets, subnets)) patch.subnets = subnets;
  const groups = resolution.securityGroups?.map(({ id, name }) => ({ id, name }));
  if (groups !== undefined && !sameJson(status.securityGroups, groups)) patch.securityGroups = groups;
  const amis = amisOf(resolution);
  if (amis !== undefined && !sameJson(status.amis, amis)) patch.amis = amis;
  const profiles = resolution.instanceProfiles;
  if (profiles !== undefined && status.instanceProfile !== profiles[0]) patch.instanceProfile = profiles[0] ?? null;
  if (!sameConditions(status.conditions, conditions)) patch.conditions = conditions.map((c) => ({ ...c }));
  return Object.keys(patch).length === 0 ? undefined : patch;
}

type SubnetStatus = { readonly id: string; readonly zone: string; readonly zoneID: string };

function subnetsOf(status: EC2NodeClassStatus, { subnets }: Resolution): readonly SubnetStatus[] | undefined {
  const next = subnets?.map(({ id, zone, zoneId }) => ({ id, zone, zoneID: zoneId }));
  if (next === undefined || status.subnets === undefined) return next;
  const byId = new Map(next.map((subnet) => [subnet.id, subnet]));
  const inOldOrder = status.subnets.flatMap(({ id }) => byId.get(id) ?? []);
  return inOldOrder.length === next.length ? inOldOrder : next;
}

function amisOf({ images }: Resolution): readonly Json[] | undefined {
  return images?.map(({ image, deprecated, requirements }) => ({
    id: image.id,
    name: image.name,
    ...(deprecated ? { deprecated: true } : {}),
    requirements: requirements.map(({ key, operator, values }) => ({
      key,
      operator,
      ...(values === undefined ? {} : { values: [...values] }),
    })),
  }));
}

/** Order of keys does not count. */
function sameJson(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === "object" && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([x], [y]) => (x < y ? -1 : x > y ? 1 : 0)))
      : part,
  );
}
