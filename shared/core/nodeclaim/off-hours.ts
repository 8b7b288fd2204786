/**
 * The stage that empties NodePools that rest. Karpenter counterpart: none; see nodepool/off-hours.ts. As when a node
 * expires, claims are deleted whatever the pool's budgets say and without replacements; then they are drained as always.
 */
import { doNotDisruptAnnotation, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import { type Decision, nothing, together } from "../decision.ts";
import { nextTurnMs, type Rest, restInWords, restOf } from "../nodepool/off-hours.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { deleteClaim } from "./claim-deletion.ts";
import { isDeleting, isManagedClaim, isManagedPool } from "./managed.ts";

type Provider<View> = Pick<CloudProvider<unknown, View>, "nodeClass">;

export function offHours<View>(provider: Provider<View>): Stage<View> {
  return {
    name: "off-hours",
    decide: (snapshot) => {
      if (snapshot.settings.offHours.length === 0) return nothing;
      const pools = snapshot.cluster.nodePools.filter((nodePool) => isManagedPool(nodePool, provider.nodeClass));
      const names = pools.map(({ metadata }) => metadata.name);
      const decided = names.flatMap((name): readonly Decision[] => {
        const atMs = nextTurnMs(snapshot, name);
        const rest = restOf(snapshot, name);
        return [
          { ...nothing, ...(atMs === undefined ? {} : { againAtMs: atMs }) },
          ...(rest === undefined ? [] : [emptied(snapshot, provider, name, rest)]),
        ];
      });
      return together([{ commands: [], reasons: unknownPools(snapshot, names) }, ...decided]);
    },
  };
}

function emptied<View>(
  { cluster, nowMs }: Snapshot<View>,
  { nodeClass }: Provider<View>,
  pool: string,
  rest: Rest,
): Decision {
  const nodes = nodesByProviderId(cluster.nodes);
  const message = `NodePool ${pool} ${restInWords(rest, nowMs)}`;
  const claims = cluster.nodeClaims.filter(
    (claim) =>
      claim.metadata.labels?.[nodePoolLabel] === pool && isManagedClaim(claim, nodeClass) && !isDeleting(claim),
  );
  return together(
    claims.map((claim) => {
      const own = nodesOf(claim, nodes);
      return [claim, ...own].some(isProtected) ? kept(claim, message) : ended(claim, own, message);
    }),
  );
}

function isProtected({ metadata }: Pick<NodeClaim, "metadata">): boolean {
  return metadata.annotations?.[doNotDisruptAnnotation] === "true";
}

function kept(claim: NodeClaim, message: string): Decision {
  const why = `${message}; this node stays: it carries the annotation ${doNotDisruptAnnotation}=true`;
  return { commands: [], reasons: [{ about: refOf("NodeClaim", claim), code: "node-kept", message: why }] };
}

function ended(claim: NodeClaim, nodes: ReturnType<typeof nodesOf>, message: string): Decision {
  const event = { type: "Normal", reason: "DisruptionTerminating" } as const;
  const data = { method: "off-hours", reason: "OffHours" };
  const ofNodes = nodes.map(
    (node): Reason => ({ about: refOf("Node", node), code: "node-disrupted", message, data, event }),
  );
  return together([deleteClaim(claim, "off_hours", message, event), { commands: [], reasons: ofNodes }]);
}

/** A name that is mistyped would rest nobody, and cost money every night. */
function unknownPools({ settings, cluster }: Snapshot, known: readonly string[]): readonly Reason[] {
  const named = new Set(settings.offHours.flatMap(({ nodePools = [] }) => nodePools));
  const unread = new Set(cluster.problems.map(({ ref }) => ref.name));
  return [...named]
    .filter((name) => !known.includes(name) && !unread.has(name))
    .sort()
    .map((name): Reason => {
      const message = "the setting offHours names it, and there is no such NodePool that Outrigger looks after";
      return { about: { kind: "NodePool", name }, code: "pool-resting", message };
    });
}
