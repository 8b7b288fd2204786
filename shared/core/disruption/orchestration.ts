/**
 * Karpenter counterpart: pkg/controllers/disruption/queue.go, the deletion of a command's candidates. It differs: only a
 * claim that was marked in this tick, with its node, is deleted, so that a mark that failed stops its deletion and no
 * other. Which method marked it does not matter.
 */
import type { Node } from "#api/core-v1/node.ts";
import { disruptedTaintKey } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { isJsonObject } from "#api/problem.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { PatchStatus } from "../command.ts";
import { conditionOf } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { deleteClaim } from "../nodeclaim/claim-deletion.ts";
import { disruptionReason } from "../nodeclaim/conditions.ts";
import { isDeleting, isManagedClaim } from "../nodeclaim/managed.ts";
import { refOf } from "../object-ref.ts";
import type { Step } from "../outcome.ts";
import type { Stage } from "../stage.ts";
import { nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { hasTaintKey } from "../state/node-taints.ts";

export function orchestration<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "orchestration",
    decide: (snapshot) => {
      const tainted = taintedNow(snapshot.steps);
      const marked = markedNow(snapshot.steps);
      const nodes = nodesByProviderId(snapshot.cluster.nodes);
      return together(
        snapshot.cluster.nodeClaims.flatMap((claim): readonly Decision[] => {
          const node = nodesOf(claim, nodes).find(({ metadata }) => tainted.has(metadata.name));
          const isMarked =
            isManagedClaim(claim, provider.nodeClass) && !isDeleting(claim) && marked.has(claim.metadata.uid ?? "");
          return node === undefined || !isMarked ? [] : terminate(claim, node);
        }),
      );
    },
  };
}

function terminate(claim: NodeClaim, node: Node): readonly Decision[] {
  const reason = conditionOf(claim, disruptionReason)?.reason ?? "";
  const message = `Disrupted: ${reason}`;
  const event = { type: "Normal", reason: "DisruptionTerminating" } as const;
  const about = refOf("Node", node);
  return [
    deleteClaim(claim, reason.toLowerCase(), message, event),
    { commands: [], reasons: [{ about, code: "node-disrupted", message, data: { reason }, event }] },
  ];
}

/** Names of the nodes that were tainted for disruption in this tick. */
function taintedNow(steps: readonly Step[]): ReadonlySet<string> {
  return new Set(
    steps.flatMap(({ command, outcome }) =>
      command.kind === "taint-node" && hasTaintKey(command.taints, disruptedTaintKey) && outcome.kind === "done"
        ? [command.target.name]
        : [],
    ),
  );
}

/** UIDs of the claims whose condition DisruptionReason was written in this tick. */
function markedNow(steps: readonly Step[]): ReadonlySet<string> {
  return new Set(
    steps.flatMap(({ command, outcome }) =>
      command.kind === "patch-status" && outcome.kind === "done" && saysDisrupted(command)
        ? [command.target.uid ?? ""]
        : [],
    ),
  );
}

function saysDisrupted({ status }: PatchStatus): boolean {
  const { conditions } = status;
  return (
    Array.isArray(conditions) &&
    conditions.some((one) => isJsonObject(one) && one.type === disruptionReason && one.status === "True")
  );
}
