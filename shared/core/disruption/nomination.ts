/**
 * Karpenter counterpart: pkg/controllers/state/cluster.go, NominateNodeForPod, an in-memory mark of 20 s. It differs:
 * the nodes that pods are expected on follow from the snapshot at any time, so the plan is made once more when it
 * matters: some node could go, and some pod waits for a place.
 */

import { solveWithLeaving } from "../provisioning/leaving-pods.ts";
import { provisioningProblem, type SchedulingProvider } from "../provisioning/scheduling-problem.ts";
import type { Snapshot } from "../snapshot.ts";

export type NominationKnowledge<View> = SchedulingProvider<View>;

/** Names of the nodes on which pods without a place, and pods of nodes that are going, are expected. */
export function nominatedNodes<View>(
  snapshot: Snapshot<View>,
  provider: NominationKnowledge<View>,
): ReadonlySet<string> {
  const { problem, demand, states } = provisioningProblem(snapshot, provider);
  if (demand.pods.length === 0) return new Set();
  return new Set(solveWithLeaving(problem, demand, states).nodes.map(({ node }) => node.name));
}
