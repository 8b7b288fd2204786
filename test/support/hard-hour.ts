import { runInvocation } from "#controllers/invocation.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { createSimulation } from "#simulator/simulation.ts";
import { demoDeployment, demoNodeClass } from "./demo-manifests.ts";

const startMs = Date.UTC(2026, 10, 3, 9);
const minuteMs = 60_000;
/** Until nodes are up and what begins the trouble is over. */
const settledMinutes = 20;
const minutes = 60;
const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };

const pool = {
  ...{ apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "default" } },
  spec: {
    template: {
      spec: { requirements: [], nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" } },
    },
    disruption: { consolidateAfter: "Never" },
  },
};
const budget = {
  ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "none" } },
  spec: { selector: { matchLabels: {} }, maxUnavailable: 0 },
};
const impossible = {
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "impossible" } },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "9000" } } }] },
};

export interface AwakeTime {
  /** Simulated time in which a tick takes none: what the loop waits, s a minute. */
  readonly awakeSecondsPerMinute: number;
  readonly ticksPerMinute: number;
}

/**
 * How long a function is awake in a cluster with a pod that fits nowhere and a node whose drain a PodDisruptionBudget
 * refuses, both there for long, the loop by the minute.
 */
export async function hardHour(): Promise<AwakeTime> {
  const { clock, cluster, cloud } = createSimulation({ seed: 5, startMs, clusterName: "demo" });
  const refused = cluster.load([demoNodeClass("default"), pool, demoDeployment({ replicas: 2 }), budget, impossible]);
  if (refused.length > 0) throw new Error(refused.map(({ message }) => message).join());
  const settledAtMs = startMs + settledMinutes * minuteMs;
  let [awakeMs, ticks, isRunning] = [0, 0, false];
  const isCounted = (): boolean => clock.nowMs() >= settledAtMs;
  const invoke = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    const [beganMs, counted] = [clock.nowMs(), isCounted()];
    const session = cluster.connect();
    const telemetry = {
      tick: () => {
        ticks += counted ? 1 : 0;
      },
    };
    await runInvocation({ cluster: session, cloud, clock, telemetry }, { provider: ec2Provider, settings, seed: 5 });
    session.close();
    awakeMs += counted ? clock.nowMs() - beganMs : 0;
    isRunning = false;
  };
  for (let minute = 0; minute < settledMinutes + minutes; minute++) {
    clock.at(startMs + minute * minuteMs, () => clock.spawn(invoke));
  }
  await clock.runUntil(startMs + 10 * minuteMs);
  const [claim] = cluster.api.store.list("NodeClaim");
  if (claim === undefined) throw new Error("no node came");
  cluster.api.delete("NodeClaim", claim.metadata.name, undefined);
  await clock.runUntil(startMs + (settledMinutes + minutes) * minuteMs);
  if (cluster.api.store.get("NodeClaim", claim.metadata.name) === undefined)
    throw new Error("the drain was not refused");
  return { awakeSecondsPerMinute: awakeMs / 1_000 / minutes, ticksPerMinute: ticks / minutes };
}
