/**
 * Karpenter counterpart: pkg/providers/subnet, ZonalSubnetsForLaunch. It differs: addresses that launches of this tick
 * will take are not counted down; EC2's next answer does that.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { Ec2View } from "../view.ts";

/** The subnet with most free addresses of each zone, the smaller id where they are equal. */
export function subnetByZone(nodeClass: EC2NodeClass, view: Ec2View): ReadonlyMap<string, string> {
  const free = new Map<string, number>();
  for (const subnets of Object.values(view.subnets)) {
    for (const { id, freeAddresses } of subnets) free.set(id, freeAddresses);
  }
  const best = new Map<string, { readonly id: string; readonly free: number }>();
  for (const { id, zone } of nodeClass.status?.subnets ?? []) {
    const own = { id, free: free.get(id) ?? 0 };
    const other = best.get(zone);
    if (other === undefined || own.free > other.free || (own.free === other.free && own.id < other.id)) {
      best.set(zone, own);
    }
  }
  return new Map([...best].map(([zone, { id }]) => [zone, id]));
}
