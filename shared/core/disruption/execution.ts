/**
 * Karpenter counterpart: pkg/controllers/disruption/queue.go, the deletion of a command's candidates. It differs: only a
 * claim whose node was marked in this tick is deleted, so that a mark that failed stops its deletion and no other.
 */
import { disruptedTaintKey } from "#api/karpenter-v1/labels.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import { conditionOf, isTrue } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { nodesByProviderId, nodesOf } from "../node/node-index.ts";
import { hasTaintKey } from "../node/taints.ts";
import { deleteClaim } from "../nodeclaim/claim-deletion.ts";
import { disruptionReason } from "../nodeclaim/conditions.ts";
import { isDeleting, isManagedClaim } from "../nodeclaim/managed.ts";
import { refOf } from "../object-ref.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";

/** Stages that mark nodes for disruption. */
const markingStages: readonly string[] = ["emptiness"];

export function execution<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "disrupt",
    decide: (snapshot) => {
      const marked = markedNodes(snapshot);
      const nodes = nodesByProviderId(snapshot.cluster.nodes);
      return together(
        snapshot.cluster.nodeClaims.flatMap((claim): readonly Decision[] => {
          const node = nodesOf(claim, nodes).find(({ metadata }) => marked.has(metadata.name));
          const isReady =
            isManagedClaim(claim, provider.nodeClass) && !isDeleting(claim) && isTrue(claim, disruptionReason);
          if (node === undefined || !isReady) return [];
          const reason = conditionOf(claim, disruptionReason)?.reason ?? "";
          const message = `Disrupted: ${reason}`;
          const event = { type: "Normal", reason: "DisruptionTerminating" } as const;
          const about = refOf("Node", node);
          return [
            deleteClaim(claim, reason.toLowerCase(), message, event),
            { commands: [], reasons: [{ about, code: "node-disrupted", message, data: { reason }, event }] },
          ];
        }),
      );
    },
  };
}

/** Names of the nodes that a disruption method of this tick has tainted. */
function markedNodes(snapshot: Snapshot): ReadonlySet<string> {
  return new Set(
    snapshot.steps.flatMap(({ stage, command, outcome }) =>
      markingStages.includes(stage) &&
      command.kind === "taint-node" &&
      hasTaintKey(command.taints, disruptedTaintKey) &&
      outcome.kind === "done"
        ? [command.target.name]
        : [],
    ),
  );
}
