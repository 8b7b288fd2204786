import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Ec2View } from "#ec2/view.ts";
import type { TickReport } from "#ports/telemetry.ts";

/** US dollars an hour by the catalogue's prices; 0 for what it does not name. */
export function priceLookup({ snapshot }: TickReport): (claim: NodeClaim) => number {
  const { catalogue } = (snapshot.cloud.view ?? {}) as Partial<Ec2View>;
  const types = new Map((catalogue?.types ?? []).map((type) => [type.name, type]));
  return ({ metadata: { labels = {} } }) => {
    const type = types.get(labels[instanceTypeLabel] ?? "");
    const isSpot = labels[capacityTypeLabel] === "spot";
    return (isSpot ? type?.spotPerHour[labels[zoneLabel] ?? ""] : type?.onDemandPerHour) ?? 0;
  };
}
