/**
 * One look at a cluster that consists of manifests, and what a tick would decide. The objects go into a simulated API
 * server and account of their own; workload controllers make their pods and kube-scheduler tries each once, then time
 * stands still. Stages write their conditions there; from the launch on nothing is carried out.
 */
import type { KubeObject } from "#api/core-v1/meta.ts";
import { act } from "#controllers/act.ts";
import { fold } from "#controllers/fold.ts";
import { observe } from "#controllers/observe.ts";
import { stagesOf } from "#controllers/stages.ts";
import { type Plan, planProvisioning } from "#core/provisioning/plan.ts";
import { provisioningStage } from "#core/provisioning/provisioning.ts";
import type { Reason } from "#core/reason.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Cloud } from "#ports/cloud.ts";
import { createSimulation, type Simulation } from "#simulator/simulation.ts";
import { startMsFor } from "../simulate/start-time.ts";
import { shortWorkloads } from "../simulate/workloads.ts";
import { withRunningMachines } from "./running-machines.ts";

export interface Look {
  readonly kind: "look";
  /** As provisioning sees it: classes resolved, pools ready or not. */
  readonly snapshot: Snapshot<Ec2View>;
  readonly plan: Plan;
  /** Of all stages that decide, in their order. */
  readonly reasons: readonly Reason[];
  /** Workloads that did not get all their pods, in words. */
  readonly short: readonly string[];
}

/** What the API server said of manifests that it does not take. */
export interface Refused {
  readonly kind: "refused";
  readonly messages: readonly string[];
}

const seed = 1;
const clusterName = "plan";
const settings: Settings = {
  ...defaultSettings,
  clusterName,
  clusterIdentity: "arn:aws:eks:us-east-1:111122223333:cluster/plan 2026-01-01T00:00:00Z",
};
/** This stage and those after it launch and terminate. */
const firstUndecided = "attempt";
/** Virtual seconds in which controllers and kube-scheduler come to rest. */
const settleSecondsMax = 60;

export async function lookAt(objects: readonly KubeObject[]): Promise<Look | Refused> {
  const startMs = startMsFor(objects);
  const simulation = createSimulation({ seed, startMs, clusterName });
  const refusals = simulation.cluster.load(objects);
  if (refusals.length > 0) return { kind: "refused", messages: refusals.map(({ message }) => message) };
  await settle(simulation);
  let look: Look | undefined;
  simulation.clock.spawn(async () => {
    look = await tick(simulation);
  });
  await simulation.clock.runUntil(simulation.clock.nowMs() + settleSecondsMax * 1000);
  if (look === undefined) throw new Error("one tick did not come to its end within a virtual minute");
  return look;
}

async function settle(simulation: Simulation): Promise<void> {
  const { clock, api } = simulation;
  for (let second = 0; second < settleSecondsMax; second++) {
    await clock.runUntil(clock.nowMs() + 1000);
    const isTried = api.store.list("Pod").every(({ spec, status }) => {
      const waits = (spec.schedulingGates ?? []).length > 0;
      return waits || spec.nodeName !== undefined || status?.conditions?.some(({ type }) => type === "PodScheduled");
    });
    if (isTried && shortWorkloads(api.store).length === 0) return;
  }
}

async function tick({ clock, cluster, cloud, api }: Simulation): Promise<Look> {
  const machines: Cloud<Ec2Query, Ec2View> = {
    observe: async (query) =>
      withRunningMachines(await cloud.observe(query), api.store.list("NodeClaim"), settings.clusterIdentity),
    apply: cloud.apply,
  };
  const ports = { cluster, cloud: machines, clock, telemetry: { tick: () => {} } };
  let snapshot = await observe(ports, { provider: ec2Provider, settings, seed });
  let planned: { readonly snapshot: Snapshot<Ec2View>; readonly plan: Plan } | undefined;
  const reasons: Reason[] = [];
  for (const stage of stagesOf(ec2Provider)) {
    if (stage.name === firstUndecided) break;
    if (stage.name === provisioningStage) planned = { snapshot, plan: planProvisioning(snapshot, ec2Provider) };
    const decision = stage.decide(snapshot);
    reasons.push(...decision.reasons);
    snapshot = fold(snapshot, await act(stage.name, decision.commands, { cluster, cloud: machines }));
  }
  if (planned === undefined) throw new Error(`there is no stage ${provisioningStage} before ${firstUndecided}`);
  return { kind: "look", ...planned, reasons, short: shortWorkloads(api.store) };
}
