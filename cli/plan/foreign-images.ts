import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { conditionOf } from "#core/condition.ts";
import { drifted } from "#core/nodeclaim/conditions.ts";
import type { Snapshot } from "#core/snapshot.ts";
import type { Ec2View } from "#ec2/view.ts";

/** So many are named one by one. */
const namesMax = 5;

/**
 * Live claims beside the simulated account, without their images: those that it finds for a node class have ids of their
 * own, so that a machine from elsewhere is never of one of them, drifted or not. What a controller found out stays.
 */
export function withoutForeignImages(snapshot: Snapshot<Ec2View>): Snapshot<Ec2View> {
  const foreign = new Set(foreignClaims(snapshot));
  if (foreign.size === 0) return snapshot;
  const nodeClaims = snapshot.cluster.nodeClaims.map((claim): NodeClaim => {
    if (!foreign.has(claim) || claim.status === undefined) return claim;
    const { imageID: _, ...status } = claim.status;
    return { ...claim, status };
  });
  return { ...snapshot, cluster: { ...snapshot.cluster, nodeClaims } };
}

export function foreignImageNotes(observed: Snapshot<Ec2View>): readonly string[] {
  const foreign = foreignClaims(observed)
    .map(({ metadata }) => metadata.name)
    .sort();
  if (foreign.length === 0) return [];
  const more = foreign.length > namesMax ? ` and ${foreign.length - namesMax} more` : "";
  return [
    `the simulated account has images of its own: AMIDrift of NodeClaim ${foreign.slice(0, namesMax).join(", ")}${more} cannot be told (--kubeconfig looks there)`,
  ];
}

function foreignClaims({ cluster, cloud }: Snapshot<Ec2View>): readonly NodeClaim[] {
  const answers = Object.values(cloud.view.images);
  const known = new Set(answers.flatMap((images) => images.map(({ id }) => id)));
  if (known.size === 0) return [];
  return cluster.nodeClaims.filter((claim) => {
    const isForeign = claim.status?.imageID !== undefined && !known.has(claim.status.imageID);
    return isForeign && conditionOf(claim, drifted)?.status !== "True";
  });
}
