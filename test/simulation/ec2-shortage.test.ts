import { describe, expect, test } from "vitest";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { createSimulation, type Simulation } from "#simulator/simulation.ts";
import { Invocations } from "../../cli/simulate/invocations.ts";
import { demoDeployment, demoNodeClass, demoNodePool } from "../support/demo-manifests.ts";

const minuteMs = 60_000;
/** On a busy machine. */
const slowMs = 120_000;
const wanted = "m5.large";
const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };

const oneType = demoNodePool({
  requirements: [
    { key: "node.kubernetes.io/instance-type", operator: "In", values: [wanted] },
    { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot", "on-demand"] },
  ],
  expireAfter: "Never",
  budgets: [{ nodes: "100%" }],
});

interface Counts {
  readonly created: number;
  readonly launches: number;
  readonly running: number;
}

async function run(
  pods: number,
  minutes: number,
  during: (simulation: Simulation, startMs: number) => void,
): Promise<Counts> {
  const startMs = Date.UTC(2026, 0, 1);
  const simulation = createSimulation({ seed: 3, startMs, clusterName: "demo" });
  expect(simulation.cluster.load([demoNodeClass(), oneType, demoDeployment({ replicas: pods })])).toEqual([]);
  during(simulation, startMs);
  const { clock, cluster, cloud, api } = simulation;
  let [created, launches] = [0, 0];
  const tick = ({ steps }: TickReport): void => {
    created += steps.filter(({ command }) => command.kind === "create-node-claim").length;
    launches += steps.filter(({ command }) => command.kind === "launch-instance").length;
  };
  const invocations = new Invocations(
    clock,
    () => {
      const session = cluster.connect();
      return { ports: { cluster: session, cloud, clock, telemetry: { tick } }, close: session.close };
    },
    { provider: ec2Provider, settings, seed: 3 },
  );
  invocations.schedule(startMs, startMs + minutes * minuteMs);
  await clock.runUntil(startMs + minutes * minuteMs);
  const running = api.store.list("Pod").filter(({ status }) => status?.phase === "Running").length;
  return { created, launches, running };
}

describe("row 56: a type that EC2 does not have", () => {
  test(
    "120 pods that want nothing else make 120 claims once, then a few tries an hour",
    async () => {
      const { created, launches, running } = await run(120, 60, ({ cloud }) => {
        cloud.account.capacity.limit({ instanceType: wanted }, 0);
      });
      expect(running).toBe(0);
      expect(created).toBeLessThanOrEqual(160);
      expect(launches).toBeLessThanOrEqual(80);
    },
    slowMs,
  );

  test(
    "it comes back after ten minutes: ten minutes later all pods run",
    async () => {
      const { created, running } = await run(40, 20, ({ cloud }, startMs) => {
        cloud.account.capacity.limit({ instanceType: wanted }, 0, startMs + 10 * minuteMs);
      });
      expect(running).toBe(40);
      expect(created).toBeLessThanOrEqual(110);
    },
    slowMs,
  );
});
