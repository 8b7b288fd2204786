/**
 * The stage that finds a place for every pod that waits for one. Karpenter counterpart:
 * pkg/controllers/provisioning/provisioner.go, Reconcile. It differs: it decides and returns; the claims are written,
 * and launched in the same tick, by others.
 */
import type { Command, CreateNodeClaim } from "../command.ts";
import type { Decision } from "../decision.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { statePatches } from "../state/state-patch.ts";
import { notSupportedReasons } from "./not-supported.ts";
import { planProvisioning } from "./plan.ts";
import { reasonsOf } from "./reasons.ts";
import type { SchedulingProvider } from "./scheduling-problem.ts";

export const provisioningStage = "provisioning";

export function provisioning<View>(provider: SchedulingProvider<View>): Stage<View> {
  return { name: provisioningStage, decide: (snapshot) => decide(snapshot, provider) };
}

function decide<View>(snapshot: Snapshot<View>, provider: SchedulingProvider<View>): Decision {
  const plan = planProvisioning(snapshot, provider);
  const claims = plan.claims.map(({ nodeClaim }): CreateNodeClaim => ({ kind: "create-node-claim", nodeClaim }));
  const commands: readonly Command[] = [...claims, ...statePatches("misfit", snapshot.cluster.state, plan.remember)];
  const reasons: readonly Reason[] = [...notSupportedReasons(snapshot.cluster.unsupported), ...reasonsOf(plan)];
  return { commands, reasons };
}
