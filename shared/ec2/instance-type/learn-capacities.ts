/**
 * Karpenter counterpart: pkg/controllers/providers/instancetype/capacity. It differs as learned-capacity.ts says; the
 * smallest figure that any node of the type reported holds.
 */
import type { Node } from "#api/core-v1/node.ts";
import { instanceTypeLabel, registeredLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { quantityToInteger } from "#api/quantity.ts";
import type { Decision } from "#core/decision.ts";
import { byKey } from "#core/order.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { statePatches } from "#core/state/state-patch.ts";
import { findNodeClass } from "../node-class/node-class.ts";
import type { Ec2View } from "../view.ts";
import { type LearnedCapacity, learnedKey, learnedText, readLearned } from "./learned-capacity.ts";

export function learnCapacities(snapshot: Snapshot<Ec2View>): Decision {
  const { cluster, nowMs } = snapshot;
  const claims = new Map<string, NodeClaim>();
  for (const claim of cluster.nodeClaims) {
    if (claim.status?.providerID !== undefined) claims.set(claim.status.providerID, claim);
  }
  const learned = new Map<string, LearnedCapacity>();
  for (const node of cluster.nodes) {
    const claim = claims.get(node.spec.providerID ?? "");
    const report = claim === undefined ? undefined : reportOf(snapshot, node, claim);
    if (report === undefined) continue;
    learned.set(report.key, smaller(report.capacity, learned.get(report.key)));
  }
  const news = [...learned].sort(byKey(([key]) => key)).flatMap(([key, capacity]) => {
    const before = readLearned(cluster.state[key], nowMs);
    const next = smaller(capacity, before);
    return before !== undefined && sameCapacity(next, before) ? [] : [[key, learnedText(next, nowMs)]];
  });
  return { commands: statePatches("learned", cluster.state, Object.fromEntries(news)), reasons: [] };
}

/** What a registered node of a current image says of its type. */
function reportOf(
  { cluster }: Snapshot<Ec2View>,
  node: Node,
  claim: NodeClaim,
): { readonly key: string; readonly capacity: LearnedCapacity } | undefined {
  const type = node.metadata.labels?.[instanceTypeLabel];
  const nodeClass = findNodeClass(cluster, claim.spec.nodeClassRef);
  if (type === undefined || nodeClass === undefined || node.metadata.labels?.[registeredLabel] !== "true")
    return undefined;
  const current = (nodeClass.status?.amis ?? []).some(({ id }) => id === claim.status?.imageID);
  const memoryBytes = quantityToInteger("memory", node.status?.capacity?.memory ?? "", "down");
  const storage = node.status?.capacity?.["ephemeral-storage"] ?? "";
  const storageBytes = quantityToInteger("ephemeral-storage", storage, "down");
  if (!current || !memoryBytes || !storageBytes) return undefined;
  return { key: learnedKey(type, nodeClass), capacity: { memoryBytes, storageBytes } };
}

function smaller(a: LearnedCapacity, b: LearnedCapacity | undefined): LearnedCapacity {
  if (b === undefined) return a;
  return {
    memoryBytes: Math.min(a.memoryBytes, b.memoryBytes),
    storageBytes: Math.min(a.storageBytes, b.storageBytes),
  };
}

function sameCapacity(a: LearnedCapacity, b: LearnedCapacity): boolean {
  return a.memoryBytes === b.memoryBytes && a.storageBytes === b.storageBytes;
}
