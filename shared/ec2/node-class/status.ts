/**
 * Karpenter counterpart: pkg/apis/v1/ec2nodeclass_status.go. It differs: what could not be read stays, and subnets keep
 * their order while the set is the same, since free addresses change all the time.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { EC2NodeClass, EC2NodeClassStatus } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Resolution } from "./resolution.ts";

/** The fields of the status, beside its conditions, as far as `resolution` knows them. */
export function statusFields(nodeClass: EC2NodeClass, resolution: Resolution): Readonly<Record<string, Json>> {
  const subnets = subnetsOf(nodeClass.status ?? {}, resolution);
  const groups = resolution.securityGroups?.map(({ id, name }) => ({ id, name }));
  const amis = amisOf(resolution);
  const profiles = resolution.instanceProfiles;
  return {
    ...(subnets === undefined ? {} : { subnets }),
    ...(groups === undefined ? {} : { securityGroups: groups }),
    ...(amis === undefined ? {} : { amis }),
    ...(profiles === undefined ? {} : { instanceProfile: profiles[0] ?? null }),
    ...reservationsOf(nodeClass.status ?? {}, resolution),
  };
}

type SubnetStatus = { readonly id: string; readonly zone: string; readonly zoneID: string };

function subnetsOf(status: EC2NodeClassStatus, { subnets }: Resolution): readonly SubnetStatus[] | undefined {
  const next = subnets?.map(({ id, zone, zoneId }) => ({ id, zone, zoneID: zoneId }));
  if (next === undefined || status.subnets === undefined) return next;
  const byId = new Map(next.map((subnet) => [subnet.id, subnet]));
  const inOldOrder = status.subnets.flatMap(({ id }) => byId.get(id) ?? []);
  return inOldOrder.length === next.length ? inOldOrder : next;
}

/** The field appears with the first reservation. */
function reservationsOf(
  { capacityReservations: before = [] }: EC2NodeClassStatus,
  { capacityReservations: found }: Resolution,
): Readonly<Record<string, Json>> {
  if (found === undefined || (found.length === 0 && before.length === 0)) return {};
  return { capacityReservations: found.map((reservation) => ({ ...reservation })) };
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
