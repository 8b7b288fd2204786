/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/registration.go, syncNode. It differs: what the claim gives
 * its node (labels, annotations, owner, finalizer) is one write and the taints are the next, each with the
 * resourceVersion as precondition; the node is released from its unregistered taint only after this one is seen to hold.
 */
import type { Node } from "#api/core-v1/node.ts";
import { apiVersion, terminationFinalizer } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { ownPrefix } from "#api/outrigger-names.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { PatchMetadata } from "../command.ts";
import { lockedRefOf } from "../object-ref.ts";
import type { Stage } from "../stage.ts";
import { joiningNodes } from "./joining.ts";

export function metadataSync<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "metadata-sync",
    decide: ({ cluster }) => ({
      commands: joiningNodes(cluster, provider.nodeClass)
        .map(({ claim, node }) => metadataPatch(claim, node))
        .filter((patch) => patch !== undefined),
      reasons: [],
    }),
  };
}

/** What the node's metadata lacks of its claim's; undefined when it has it all. */
export function metadataPatch(claim: NodeClaim, node: Node): PatchMetadata | undefined {
  const labels = differing(claim.metadata.labels, node.metadata.labels);
  const annotations = differing(claim.metadata.annotations, node.metadata.annotations);
  const finalizers = node.metadata.finalizers ?? [];
  const owners = node.metadata.ownerReferences ?? [];
  const { name, uid } = claim.metadata;
  const isOwned = uid === undefined || owners.some((owner) => owner.uid === uid);
  const hasFinalizer = finalizers.includes(terminationFinalizer);
  if (isOwned && hasFinalizer && isEmpty(labels) && isEmpty(annotations)) return undefined;
  return {
    kind: "patch-metadata",
    target: lockedRefOf("Node", node),
    ...(isEmpty(labels) ? {} : { labels }),
    ...(isEmpty(annotations) ? {} : { annotations }),
    ...(hasFinalizer ? {} : { finalizers: [...finalizers, terminationFinalizer] }),
    ...(isOwned
      ? {}
      : {
          ownerReferences: [...owners, { apiVersion, kind: "NodeClaim", name, uid, blockOwnerDeletion: true }],
        }),
  };
}

/** Our own annotations are the claim's bookkeeping and say nothing about its node. */
function differing(
  wanted: Readonly<Record<string, string>> | undefined,
  present: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(wanted ?? {}).filter(([key, value]) => !key.startsWith(ownPrefix) && present?.[key] !== value),
  );
}

function isEmpty(record: object): boolean {
  return Object.keys(record).length === 0;
}
