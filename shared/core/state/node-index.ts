/**
 * Karpenter counterpart: pkg/controllers/state/cluster.go, its maps by provider ID and node name. It differs: they are
 * made from the snapshot where they are needed, and several nodes under one provider ID are all kept.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";

/** Nodes by provider ID; more than one under the same ID is a fault that registration reports. */
export type NodesByProviderId = ReadonlyMap<string, readonly Node[]>;

export function nodesByProviderId(nodes: readonly Node[]): NodesByProviderId {
  return grouped(nodes, (node) => node.spec.providerID);
}

/** Bound pods by the name of their node, terminal and terminating ones too. */
export function podsByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  return grouped(pods, (pod) => (pod.spec.nodeName === "" ? undefined : pod.spec.nodeName));
}

export function nodesOf(claim: NodeClaim, nodes: NodesByProviderId): readonly Node[] {
  const providerID = claim.status?.providerID;
  return providerID === undefined ? [] : (nodes.get(providerID) ?? []);
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string | undefined): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
