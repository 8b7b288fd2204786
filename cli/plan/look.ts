/**
 * One look at a cluster that consists of manifests, and what a tick would decide. The objects go into a simulated API
 * server and account of their own; workload controllers make their pods and kube-scheduler tries each once, then time
 * stands still.
 */
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Budget } from "#core/scheduling/improvement/budget.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Cloud } from "#ports/cloud.ts";
import { createSimulation, type Simulation } from "#simulator/simulation.ts";
import { startMsFor } from "../simulate/start-time.ts";
import { shortWorkloads } from "../simulate/workloads.ts";
import { decide, type Look, seed } from "./decide.ts";
import { withRunningMachines } from "./running-machines.ts";

/** What the API server said of manifests that it does not take. */
export interface Refused {
  readonly kind: "refused";
  readonly messages: readonly string[];
}

const clusterName = "plan";
const settings: Settings = {
  ...defaultSettings,
  clusterName,
  clusterIdentity: "arn:aws:eks:us-east-1:111122223333:cluster/plan 2026-01-01T00:00:00Z",
};
/** Virtual seconds in which controllers and kube-scheduler come to rest. */
const settleSecondsMax = 60;

/** `budget`: of the search for a cheaper plan; absent: what a tick spends. */
export async function lookAt(objects: readonly KubeObject[], budget?: Budget): Promise<Look | Refused> {
  const startMs = startMsFor(objects);
  const simulation = createSimulation({ seed, startMs, clusterName });
  const refusals = simulation.cluster.load(objects);
  if (refusals.length > 0) return { kind: "refused", messages: refusals.map(({ message }) => message) };
  await settle(simulation);
  let look: Look | undefined;
  simulation.clock.spawn(async () => {
    look = await tick(simulation, budget);
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

async function tick({ clock, cluster, cloud, api }: Simulation, budget: Budget | undefined): Promise<Look> {
  const machines: Cloud<Ec2Query, Ec2View> = {
    observe: async (query) =>
      withRunningMachines(await cloud.observe(query), api.store.list("NodeClaim"), settings.clusterIdentity),
    apply: cloud.apply,
  };
  return decide({ cluster, cloud: machines, clock }, settings, api, "simulated", budget);
}
