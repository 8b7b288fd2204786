/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/tagging of its AWS provider. It differs: what an instance lacks is read
 * from the instance, not from an annotation; and an instance that Karpenter launched gets what lets us find it again by
 * its claim, when a cluster is handed over.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { clusterIdentityTag, nodeClaimTag, nodeClaimUidTag } from "#api/outrigger-names.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { TagInstance } from "../command.ts";
import { isTrue } from "../condition.ts";
import type { Instance } from "../instance.ts";
import type { Settings } from "../settings.ts";
import type { Stage } from "../stage.ts";
import { registered } from "./conditions.ts";
import { isDeleting, isManagedClaim } from "./managed.ts";

/** Bound of a tick: a cloud counts these calls together with launches. */
const taggedMax = 20;

type Provider<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "registeredTags">;

export function tagging<View>(provider: Provider<View>): Stage<View> {
  return {
    name: "tagging",
    decide: ({ cluster, cloud, settings }) => {
      const instances = new Map(cloud.instances.map((instance) => [instance.providerID, instance]));
      const commands = cluster.nodeClaims
        .filter((claim) => isManagedClaim(claim, provider.nodeClass) && isTrue(claim, registered) && !isDeleting(claim))
        .map((claim) => tagsFor(claim, instances.get(claim.status?.providerID ?? ""), provider, settings))
        .filter((command) => command !== undefined);
      return { commands: commands.slice(0, taggedMax), reasons: [] };
    },
  };
}

function tagsFor<View>(
  claim: NodeClaim,
  instance: Instance | undefined,
  provider: Provider<View>,
  settings: Settings,
): TagInstance | undefined {
  // Another identity is another cluster's word on this instance; collection reports it.
  const identity = instance?.tags[clusterIdentityTag] ?? settings.clusterIdentity;
  if (instance === undefined || identity !== settings.clusterIdentity) return undefined;
  const wanted = {
    ...provider.registeredTags?.(claim, settings),
    [nodeClaimTag]: claim.metadata.name,
    [nodeClaimUidTag]: claim.metadata.uid ?? "",
    [clusterIdentityTag]: settings.clusterIdentity,
  };
  const missing = Object.entries(wanted).filter(([key]) => instance.tags[key] === undefined);
  if (missing.length === 0) return undefined;
  return { kind: "tag-instance", instanceId: instance.id, tags: Object.fromEntries(missing) };
}
