/** What one tick would decide: its stages run, and write their conditions to a copy; from the launch on nothing is done. */
import { act } from "#controllers/act.ts";
import { fold } from "#controllers/fold.ts";
import { observe } from "#controllers/observe.ts";
import type { Ports } from "#controllers/ports.ts";
import { stagesOf } from "#controllers/stages.ts";
import { type Plan, planProvisioning } from "#core/provisioning/plan.ts";
import { provisioningStage } from "#core/provisioning/provisioning.ts";
import type { Reason } from "#core/reason.ts";
import type { Budget } from "#core/scheduling/improvement/budget.ts";
import type { Settings } from "#core/settings.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { pauseKey } from "#core/state/pause.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { ApiServer } from "#simulator/kubernetes/api-server/api-server.ts";
import { shortWorkloads } from "../simulate/workloads.ts";
import { withoutForeignImages } from "./foreign-images.ts";

export interface Look {
  readonly kind: "look";
  /** Whose networks, types and prices they are. */
  readonly account: "simulated" | "real" | "recorded";
  /** What was seen, before any stage. */
  readonly observed: Snapshot<Ec2View>;
  /** As provisioning sees it: classes resolved, pools ready or not. */
  readonly snapshot: Snapshot<Ec2View>;
  readonly plan: Plan;
  /** Of all stages that decide, in their order. */
  readonly reasons: readonly Reason[];
  /** Workloads that did not get all their pods, in words. */
  readonly short: readonly string[];
}

export const seed = 1;
/** This stage and those after it launch and terminate. */
const firstUndecided = "attempt";

/**
 * `ports` write to `api`, a copy of the cluster, and to nothing else. `budget`: of the search for a cheaper plan; absent: what
 * a tick spends.
 */
export async function decide(
  ports: Omit<Ports<Ec2Query, Ec2View>, "telemetry">,
  settings: Settings,
  api: ApiServer,
  account: Look["account"],
  budget?: Budget,
): Promise<Look> {
  const telemetry = { tick: () => {} };
  const observed = await observe({ ...ports, telemetry }, { provider: ec2Provider, settings, seed });
  // What a pause holds back is what it asks about; whoever prints it says that it is paused.
  let snapshot = tellable(withoutPause(observed), account);
  let planned: { readonly snapshot: Snapshot<Ec2View>; readonly plan: Plan } | undefined;
  const reasons: Reason[] = [];
  for (const stage of stagesOf(ec2Provider)) {
    if (stage.name === firstUndecided) break;
    if (stage.name === provisioningStage) {
      planned = { snapshot, plan: planProvisioning(snapshot, ec2Provider, "strict", budget) };
    }
    const decision = stage.decide(snapshot);
    reasons.push(...decision.reasons);
    // A write is answered with the whole object, its image too.
    snapshot = tellable(fold(snapshot, await act(stage.name, decision.commands, ports)), account);
  }
  if (planned === undefined) throw new Error(`there is no stage ${provisioningStage} before ${firstUndecided}`);
  return { kind: "look", account, observed, ...planned, reasons, short: shortWorkloads(api.store) };
}

function tellable(snapshot: Snapshot<Ec2View>, account: Look["account"]): Snapshot<Ec2View> {
  return account === "simulated" ? withoutForeignImages(snapshot) : snapshot;
}

function withoutPause(snapshot: Snapshot<Ec2View>): Snapshot<Ec2View> {
  const { [pauseKey]: _, ...state } = snapshot.cluster.state;
  return { ...snapshot, cluster: { ...snapshot.cluster, state } };
}
