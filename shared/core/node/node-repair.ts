/**
 * Karpenter counterpart: pkg/controllers/node/health/controller.go. No difference in what is repaired and when it is not: the
 * gate NodeRepair, the provider's policies, at most a fifth of a pool ill. It differs: a look that was not whole repairs
 * nothing.
 */
import type { Node } from "#api/core-v1/node.ts";
import { nodePoolLabel, terminationTimestampAnnotation } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { formatTime, parseTime } from "#api/time.ts";
import { partialReadBrake } from "../brake.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { PatchMetadata } from "../command.ts";
import { type Decision, nothing, together } from "../decision.ts";
import { deleteClaim } from "../nodeclaim/claim-deletion.ts";
import { isDeleting, isManagedClaim, isManagedNode } from "../nodeclaim/managed.ts";
import { refOf } from "../object-ref.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { type Illness, illnessOf, isIll } from "./node-health.ts";

/** Karpenter: allowedUnhealthyPercent, rounded up. */
const illShareMax = 0.2;

type Provider<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "repairPolicies">;

export function nodeRepair<View>(provider: Provider<View>): Stage<View> {
  return {
    name: "node-repair",
    decide: (snapshot) => {
      const policies = provider.repairPolicies ?? [];
      if (!snapshot.settings.featureGates.nodeRepair || policies.length === 0) return nothing;
      const partial = partialReadBrake(snapshot, "No node is repaired");
      if (partial !== undefined) return { commands: [], reasons: [partial] };
      const { cluster, nowMs } = snapshot;
      const nodes = nodesByProviderId(cluster.nodes);
      const claims = cluster.nodeClaims.filter((claim) => isManagedClaim(claim, provider.nodeClass));
      const wards = wardsOf(snapshot, provider, claims);
      return together(
        claims.map((claim): Decision => {
          const [node] = nodesOf(claim, nodes);
          if (node === undefined || isDeleting(claim)) return nothing;
          const illness = illnessOf(claim, node, policies, nowMs);
          if (illness === undefined) return nothing;
          if (illness.dueMs > nowMs) return { ...nothing, againAtMs: illness.dueMs };
          const ward = wards(claim);
          const isBraked = ward.ill > Math.ceil(ward.nodes * illShareMax);
          return isBraked ? blocked(node, illness, ward) : repair(claim, node, illness, nowMs);
        }),
      );
    },
  };
}

/** The nodes among which a claim's node is judged: its pool's, or all for a claim without a pool. */
interface Ward {
  readonly name: string;
  readonly nodes: number;
  readonly ill: number;
}

function wardsOf<View>(
  { cluster, nowMs }: Snapshot<View>,
  { nodeClass, repairPolicies = [] }: Provider<View>,
  claims: readonly NodeClaim[],
): (claim: NodeClaim) => Ward {
  const byProviderId = new Map(claims.map((claim) => [claim.status?.providerID, claim]));
  const counts = new Map<string, Ward>();
  const all = "";
  for (const node of cluster.nodes) {
    if (!isManagedNode(node, nodeClass)) continue;
    const ill = isIll(node, byProviderId.get(node.spec.providerID), repairPolicies, nowMs) ? 1 : 0;
    for (const name of new Set([node.metadata.labels?.[nodePoolLabel] ?? all, all])) {
      const before = counts.get(name);
      counts.set(name, { name, nodes: (before?.nodes ?? 0) + 1, ill: (before?.ill ?? 0) + ill });
    }
  }
  return ({ metadata }) => {
    const name = metadata.labels?.[nodePoolLabel] ?? all;
    return counts.get(name) ?? { name, nodes: 0, ill: 0 };
  };
}

/** Its pods are not asked: the deadline of its drain is now, unless it is past already. */
function repair(claim: NodeClaim, node: Node, illness: Illness, nowMs: number): Decision {
  const beforeMs = parseTime(claim.metadata.annotations?.[terminationTimestampAnnotation]);
  const deadline: readonly PatchMetadata[] =
    beforeMs !== undefined && beforeMs <= nowMs
      ? []
      : [
          {
            kind: "patch-metadata",
            target: refOf("NodeClaim", claim),
            annotations: { [terminationTimestampAnnotation]: formatTime(nowMs) },
          },
        ];
  const message = `Unhealthy: ${illness.words}, for ${minutes(nowMs - illness.sinceMs)}`;
  const event = { type: "Warning", reason: "DisruptionTerminating" } as const;
  const about = refOf("Node", node);
  return together([
    { commands: deadline, reasons: [{ about, code: "node-disrupted", message, data: { reason: "Unhealthy" }, event }] },
    deleteClaim(claim, "unhealthy", message, event),
  ]);
}

function blocked(node: Node, illness: Illness, { name, nodes, ill }: Ward): Decision {
  const where = name === "" ? "the cluster" : `NodePool ${name}`;
  const message = `Not repaired (${illness.words}): ${ill} of ${nodes} nodes of ${where} are unhealthy, more than a fifth`;
  const event = { type: "Warning", reason: "NodeRepairBlocked" } as const;
  return { commands: [], reasons: [{ about: refOf("Node", node), code: "brake", message, event }] };
}

function minutes(ms: number): string {
  return `${Math.floor(ms / 60_000)} min`;
}
