/** Nodes that join and their claims, and the stages that take them in. */
import type { Node } from "#api/core-v1/node.ts";
import type { Taint } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { ago, claimOf, minuteMs, nodeOf, statusOf } from "./lifecycle-samples.ts";
import { stagesNamed } from "./sample-stages.ts";
import type { SmallWorld } from "./small-world.ts";

export const joiningStages = stagesNamed(["metadata-sync", "registration", "lifecycle"]);

export const unregistered: Taint = { key: "karpenter.sh/unregistered", effect: "NoExecute" };
export const notReady: Taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
export const startup: Taint = { key: "cilium", value: "x", effect: "NoExecute" };
export const dedicated: Taint = { key: "dedicated", value: "gpu", effect: "NoSchedule" };

/** A node as the kubelet makes it. */
export function fresh(
  name: string,
  taints: readonly Taint[] = [unregistered],
  ready: "True" | "False" = "False",
): Node {
  return nodeOf(name, {
    spec: { taints },
    ready,
    finalizers: [],
    labels: { "kubernetes.io/os": "linux" },
    ownerReferences: [],
  });
}

export function conditionsOf(claim: NodeClaim | undefined): Record<string, string> {
  return Object.fromEntries(
    (claim?.status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );
}

export const launchedClaim = (change: Parameters<typeof claimOf>[1] = {}) =>
  claimOf("a", { status: statusOf("a", "launched"), creationTimestamp: ago(minuteMs), ...change });

export async function ticked(world: SmallWorld): Promise<{ claim: NodeClaim | undefined; node: Node | undefined }> {
  await world.tick(joiningStages);
  return { claim: world.get<NodeClaim>("NodeClaim", "a"), node: world.get<Node>("Node", "node-a") };
}
