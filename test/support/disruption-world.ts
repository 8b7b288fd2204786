/** Nodes that are disrupted and replaced: a small world in which machines join, pods leave and instances end. */
import type { Condition } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { CloudDrift, CloudProvider } from "#core/cloud-provider.ts";
import type { ClusterView } from "#core/snapshot.ts";
import type { Stage } from "#core/stage.ts";
import { fresh } from "./joining-world.ts";
import { claimOf, condition, instanceOf, nodeOf, nowMs, poolOf, provider, statusOf } from "./lifecycle-samples.ts";
import { stagesNamed } from "./sample-stages.ts";
import { SmallWorld } from "./small-world.ts";

export const labels = {
  "karpenter.sh/nodepool": "pool",
  "sample.dev/sampleclass": "default",
  "node.kubernetes.io/instance-type": "small",
  "topology.kubernetes.io/zone": "zone-a",
  "karpenter.sh/capacity-type": "on-demand",
};

/** The condition Drifted with these words, since so long before `nowMs`. */
export function drifted(message: string, agoMs = 0): Condition {
  return { ...condition("Drifted", "True", nowMs - agoMs), reason: "SampleDrift", message };
}

/** A claim that is up, in `pool`, with conditions beside the usual ones. */
export function upClaim(name: string, pool = "pool", more: readonly Condition[] = []): NodeClaim {
  const status = statusOf(name, "initialized");
  return claimOf(name, {
    labels: { ...labels, "karpenter.sh/nodepool": pool },
    status: { ...status, conditions: [...(status.conditions ?? []), ...more] },
  });
}

/** A pool that is ready and consolidates nothing by itself. */
export function readyPool(name = "pool", disruption: Partial<NodePool["spec"]["disruption"]> = {}): NodePool {
  const pool = poolOf(name, { disruption: { consolidateAfter: "Never", ...disruption } });
  return { ...pool, status: { conditions: [condition("Ready", "True")] } };
}

type Provider = CloudProvider<undefined, unknown>;

/** The sample provider; nodes of the claims named here have drifted. */
export function driftingProvider(driftOf: (claim: NodeClaim) => CloudDrift | undefined): Provider {
  return { ...provider, drift: (_, claim) => driftOf(claim) };
}

/** All that a claim meets from its decision to its end, but for the pool's status. */
export const lifeStages = [
  ...["adoption", "metadata-sync", "registration", "lifecycle", "replacement", "provisioning", "disruption"],
  ...["orchestration", "attempt", "launch", "launch-outcome", "termination", "finalization", "eviction-outcome"],
];

export function lifeStagesOf(of: Provider): readonly Stage[] {
  return stagesNamed(lifeStages, of);
}

/** `names`: of claims, each with its node and instance. */
export function worldOf(claims: readonly NodeClaim[], cluster: Partial<ClusterView> = {}): SmallWorld {
  const world = new SmallWorld(nowMs, {
    nodePools: [readyPool()],
    nodeClaims: claims,
    nodes: claims.map(({ metadata }) => nodeOf(metadata.name)),
    ...cluster,
  });
  world.instances = claims.map(({ metadata }) => instanceOf(metadata.name));
  return world;
}

/** What happens by itself: machines that were launched join, pods that must leave leave, instances end. */
export async function timePasses(world: SmallWorld, ms = 5_000): Promise<void> {
  world.atMs += ms;
  const { cluster } = await world.snapshot();
  for (const pod of cluster.pods) {
    if (pod.metadata.deletionTimestamp !== undefined) world.remove("Pod", `default/${pod.metadata.name}`);
  }
  const names = new Set(cluster.nodes.map(({ metadata }) => metadata.name));
  world.instances = world.instances.flatMap((instance) => {
    if (instance.state === "shutting-down") return [{ ...instance, state: "terminated" as const }];
    if (instance.state === "pending" && !names.has(`node-${instance.id.slice(2)}`)) {
      world.put(fresh(instance.id.slice(2), undefined, "True"));
      return [{ ...instance, state: "running" as const }];
    }
    return [instance];
  });
}

export function claimsIn(cluster: ClusterView): readonly string[] {
  return cluster.nodeClaims.map(({ metadata }) => metadata.name);
}

/** Names of the claims whose nodes carry the taint of a disruption, or that say why they go. */
export async function markedIn(world: SmallWorld): Promise<readonly string[]> {
  const { nodeClaims, nodes } = (await world.snapshot()).cluster;
  const tainted = nodes.filter(isTainted).map(({ metadata }) => metadata.name.slice("node-".length));
  const said = nodeClaims.filter(({ status }) => status?.conditions?.some(({ type }) => type === "DisruptionReason"));
  return [...new Set([...tainted, ...said.map(({ metadata }) => metadata.name)])].sort();
}

function isTainted({ spec }: Node): boolean {
  return (spec.taints ?? []).some(({ key }) => key === "karpenter.sh/disrupted");
}

/** A pod that asks for so much CPU, on the node of that claim. */
export function podAsking(pod: Pod, cpu: string): Pod {
  return { ...pod, spec: { ...pod.spec, containers: [{ name: "main", resources: { requests: { cpu } } }] } };
}
