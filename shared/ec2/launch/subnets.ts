/**
 * Karpenter counterpart: pkg/providers/subnet, ZonalSubnetsForLaunch. It differs: the addresses that launches before this
 * one take are worked out from the claims and instances there are, not counted down in memory.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { isSubnetFull } from "#core/state/unavailable-offerings.ts";
import type { Ec2View } from "../view.ts";

/** What EC2 says of a subnet is at most so old; a younger instance may not be counted in it. */
const readAgeMs = 60_000;

interface Place {
  readonly id: string;
  free: number;
}

/**
 * The subnet with most free addresses of each zone, the smaller id where they are equal; zones whose subnets are all full
 * are left out. `addresses` is what one launch is taken to need, in each zone as long as nobody knows where it goes.
 */
export function subnetByZone(
  snapshot: Snapshot<Ec2View>,
  nodeClass: EC2NodeClass,
  claim: NodeClaim,
  addresses: number,
): ReadonlyMap<string, string> {
  const zones = openSubnets(snapshot, nodeClass, addresses);
  const ahead = launchesAhead(snapshot, claim);
  const chosen = new Map<string, string>();
  for (const [zone, places] of zones) {
    for (let launch = 0; launch < ahead && places.length > 1; launch++) {
      const place = fullest(places);
      if (place !== undefined) place.free -= addresses;
    }
    const place = fullest(places);
    if (place !== undefined) chosen.set(zone, place.id);
  }
  return chosen;
}

/** Zones in which every subnet of the class is full. */
export function fullZones({ cluster, nowMs }: Snapshot<Ec2View>, { status }: EC2NodeClass): ReadonlySet<string> {
  const open = new Set<string>();
  const all = new Set<string>();
  for (const { id, zone } of status?.subnets ?? []) {
    all.add(zone);
    if (!isSubnetFull(cluster.state, id, nowMs)) open.add(zone);
  }
  return new Set([...all].filter((zone) => !open.has(zone)));
}

function openSubnets(
  snapshot: Snapshot<Ec2View>,
  { status }: EC2NodeClass,
  addresses: number,
): ReadonlyMap<string, readonly Place[]> {
  const { cluster, nowMs } = snapshot;
  const free = freeAddresses(snapshot, addresses);
  const zones = new Map<string, Place[]>();
  for (const { id, zone } of status?.subnets ?? []) {
    if (isSubnetFull(cluster.state, id, nowMs)) continue;
    const place = { id, free: free.get(id) ?? 0 };
    const others = zones.get(zone);
    if (others === undefined) zones.set(zone, [place]);
    else others.push(place);
  }
  return zones;
}

/** By subnet; what EC2 said last, less what young instances take. */
function freeAddresses({ cloud, nowMs }: Snapshot<Ec2View>, addresses: number): ReadonlyMap<string, number> {
  const free = new Map<string, number>();
  for (const subnets of Object.values(cloud.view.subnets)) {
    for (const subnet of subnets) free.set(subnet.id, subnet.freeAddresses);
  }
  for (const { subnetId, launchedAtMs } of cloud.instances) {
    if (subnetId === undefined || nowMs - launchedAtMs > readAgeMs) continue;
    free.set(subnetId, (free.get(subnetId) ?? 0) - addresses);
  }
  return free;
}

/** Claims that are launched in the same tick or wait for their launch, and come before this one. */
function launchesAhead({ cluster }: Snapshot<Ec2View>, { metadata: own }: NodeClaim): number {
  let count = 0;
  for (const { metadata, status } of cluster.nodeClaims) {
    const waits = status?.providerID === undefined && metadata.deletionTimestamp === undefined;
    if (waits && metadata.name < own.name) count += 1;
  }
  return count;
}

function fullest(places: readonly Place[]): Place | undefined {
  let best: Place | undefined;
  for (const place of places) {
    if (best === undefined || place.free > best.free || (place.free === best.free && place.id < best.id)) best = place;
  }
  return best;
}
