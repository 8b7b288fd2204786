/**
 * Karpenter counterpart: pkg/controllers/disruption/queue.go, StartCommand. It differs: replacements are made before their
 * candidates are marked, since they are the record of the command; without replacements only a claim that was marked in
 * this tick, with its node, is deleted, so that a mark that failed stops its deletion and no other.
 */
import { disruptedTaintKey } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { isJsonObject } from "#api/problem.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { PatchStatus } from "../command.ts";
import { conditionOf } from "../condition.ts";
import { type Decision, together } from "../decision.ts";
import { disruptionReason } from "../nodeclaim/conditions.ts";
import { isDeleting, isManagedClaim } from "../nodeclaim/managed.ts";
import { claimsBeingReplaced, replacementsInFlight } from "../nodeclaim/replacement-record.ts";
import type { Step } from "../outcome.ts";
import type { Stage } from "../stage.ts";
import { type NodesByProviderId, nodesByProviderId, nodesOf } from "../state/node-index.ts";
import { hasTaintKey } from "../state/node-taints.ts";
import { terminationOf } from "./candidate-termination.ts";
import { markMissing } from "./replacement.ts";

export function orchestration<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "orchestration",
    decide: (snapshot) => {
      const { nowMs, steps } = snapshot;
      const claims = snapshot.cluster.nodeClaims.filter((claim) => isManagedClaim(claim, provider.nodeClass));
      const nodes = nodesByProviderId(snapshot.cluster.nodes);
      const begun = replacementsInFlight(claims, nowMs).filter(
        ({ record, replacements }) => record.count === replacements.length,
      );
      return together([...begun.map((command) => markMissing(command, nodes, nowMs)), deletions(claims, nodes, steps)]);
    },
  };
}

/** Of the claims that were marked in this tick, with their nodes, and that wait for no replacement. */
function deletions(claims: readonly NodeClaim[], nodes: NodesByProviderId, steps: readonly Step[]): Decision {
  const tainted = taintedNow(steps);
  const marked = markedNow(steps);
  const replaced = claimsBeingReplaced(claims);
  const going = claims.filter(
    (claim) => !isDeleting(claim) && marked.has(claim.metadata.uid ?? "") && !replaced.has(claim.metadata.name),
  );
  return together(
    going.flatMap((claim): readonly Decision[] => {
      const own = nodesOf(claim, nodes).filter(({ metadata }) => tainted.has(metadata.name));
      return own.length === 0 ? [] : terminationOf(claim, own, conditionOf(claim, disruptionReason)?.reason ?? "");
    }),
  );
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
