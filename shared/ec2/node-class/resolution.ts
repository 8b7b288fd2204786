/**
 * Karpenter counterpart: pkg/controllers/nodeclass/{ami,subnet,securitygroup,instanceprofile}.go. It differs: the reads
 * are done, this only finds the answers; a missing answer (throttled, failed) says nothing instead of "not found".
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { CloudObservation } from "#core/snapshot.ts";
import type { Ec2Settings } from "../settings.ts";
import type { Ec2View, FilterQuery, PlacementGroup, SecurityGroup, Subnet } from "../view.ts";
import { capacityReservationQueries, type ReservationStatus, reservationStatus } from "./capacity-reservations.ts";
import { instanceProfilesOf } from "./instance-profile.ts";
import { securityGroupQueries, subnetQueries } from "./network-queries.ts";
import { placementGroupQueries } from "./placement-group.ts";
import { type ResolvedImage, resolveImages } from "./resolve-images.ts";

/** What the selectors of a class stand for now. Undefined: this tick's read is missing or may lack something. */
export interface Resolution {
  /** Most free addresses first, then by id. */
  readonly subnets: readonly Subnet[] | undefined;
  /** By id. */
  readonly securityGroups: readonly SecurityGroup[] | undefined;
  readonly images: readonly ResolvedImage[] | undefined;
  /** At most one name; empty while the role has no profile. */
  readonly instanceProfiles: readonly string[] | undefined;
  /** By id. */
  readonly capacityReservations: readonly ReservationStatus[] | undefined;
  /** At most one; empty where the class names none, or one that is not there. */
  readonly placementGroups: readonly PlacementGroup[] | undefined;
}

export function resolveNodeClass(
  nodeClass: EC2NodeClass,
  cloud: CloudObservation<Ec2View>,
  settings: Ec2Settings,
  nowMs: number,
): Resolution {
  const { spec } = nodeClass;
  const { view, incomplete } = cloud;
  const whole = (...fields: readonly (keyof Ec2View)[]): boolean => !fields.some((name) => incomplete.includes(name));
  const subnets = answersOf(subnetQueries(spec), view.subnets);
  const groups = answersOf(securityGroupQueries(spec), view.securityGroups);
  const reservations = answersOf(capacityReservationQueries(spec), view.capacityReservations ?? {})?.sort((a, b) =>
    compareText(a.id, b.id),
  );
  const images = resolveImages(spec, view, settings.kubernetesVersion, nowMs);
  return {
    subnets: whole("subnets")
      ? subnets?.sort((a, b) => b.freeAddresses - a.freeAddresses || compareText(a.id, b.id))
      : undefined,
    securityGroups: whole("securityGroups") ? groups?.sort((a, b) => compareText(a.id, b.id)) : undefined,
    images: whole("images", "parameters") ? images : undefined,
    instanceProfiles: instanceProfilesOf(nodeClass, cloud),
    capacityReservations: reservations === undefined ? undefined : reservationStatus(reservations, nowMs),
    placementGroups: answersOf(placementGroupQueries(spec), view.placementGroups ?? {}),
  };
}

/** All that the queries found, each id once; undefined when one of them has no answer. */
function answersOf<Found extends { readonly id: string }>(
  queries: readonly FilterQuery[],
  answers: Readonly<Record<string, readonly Found[]>>,
): Found[] | undefined {
  const byId = new Map<string, Found>();
  for (const { key } of queries) {
    const answer = answers[key];
    if (answer === undefined) return undefined;
    for (const found of answer) byId.set(found.id, found);
  }
  return [...byId.values()];
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
