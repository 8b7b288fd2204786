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
const startMs = Date.UTC(2026, 0, 1);
const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };

function nodePool(name: string, weight: number): object {
  const requirements = [{ key: "node.kubernetes.io/instance-type", operator: "In", values: ["m5.large"] }] as const;
  return demoNodePool({ name, weight, requirements, expireAfter: "Never", budgets: [{ nodes: "100%" }] });
}

interface Run {
  readonly simulation: Simulation;
  readonly untilMinute: (minute: number) => Promise<void>;
  /** Minutes at which an instance was launched, with the pool. */
  readonly launches: readonly { readonly minute: number; readonly nodePool: string }[];
  readonly runningPods: () => number;
  readonly told: Set<string>;
}

function begin(...objects: readonly object[]): Run {
  const simulation = createSimulation({ seed: 3, startMs, clusterName: "demo" });
  expect(simulation.cluster.load(objects)).toEqual([]);
  const { clock, cluster, cloud, api } = simulation;
  const launches: { minute: number; nodePool: string }[] = [];
  const told = new Set<string>();
  const tick = ({ steps, decisions }: TickReport): void => {
    for (const { about, event } of decisions.flatMap(({ decision }) => decision.reasons)) {
      if (event !== undefined) told.add(`${about.kind} ${about.name} ${event.reason}`);
    }
    for (const { command } of steps) {
      if (command.kind !== "launch-instance") continue;
      const nodePool = command.tags["karpenter.sh/nodepool"] ?? "";
      launches.push({ minute: Math.floor((clock.nowMs() - startMs) / minuteMs), nodePool });
    }
  };
  const invocations = new Invocations(
    clock,
    () => {
      const session = cluster.connect();
      return { ports: { cluster: session, cloud, clock, telemetry: { tick } }, close: session.close };
    },
    { provider: ec2Provider, settings, seed: 3 },
  );
  let scheduledMs = startMs;
  const untilMinute = async (minute: number): Promise<void> => {
    const untilMs = startMs + minute * minuteMs;
    invocations.schedule(scheduledMs, untilMs);
    scheduledMs = untilMs;
    await clock.runUntil(untilMs);
  };
  const runningPods = (): number => api.store.list("Pod").filter(({ status }) => status?.phase === "Running").length;
  return { simulation, untilMinute, launches, runningPods, told };
}

function healthOf({ simulation: { api } }: Run, name: string): { status: string; message: string } | undefined {
  const found = api.store.list("NodePool").find(({ metadata }) => metadata.name === name);
  return found?.status?.conditions?.find(({ type }) => type === "NodeRegistrationHealthy");
}

describe("row 69: a class whose nodes are launched and never join", () => {
  test(
    "20 instances once, then one at a time, twice within two hours; a change of the class resumes at once",
    async () => {
      const run = begin(demoNodeClass("default"), nodePool("default", 1), demoDeployment({ replicas: 20 }));
      const { cluster, api } = run.simulation;
      cluster.admits = () => false;
      await run.untilMinute(120);
      const later = run.launches.filter(({ minute }) => minute > 2);
      expect(run.launches.length - later.length).toBe(20);
      expect(later.length).toBeGreaterThanOrEqual(1);
      expect(later.length).toBeLessThanOrEqual(3);
      expect(run.told).toContain("NodePool default NodesDoNotJoin");
      expect(healthOf(run, "default")).toMatchObject({
        status: "False",
        message: expect.stringMatching(/did not join the cluster; one is tried again at 2026-01-01T/),
      });

      cluster.admits = () => true;
      const mended = { spec: { role: "KarpenterNodeRole-mended" } };
      expect(api.patch("EC2NodeClass", "default", undefined, mended).kind).toBe("ok");
      await run.untilMinute(126);
      expect(run.runningPods()).toBe(20);
      expect(healthOf(run, "default")?.status).toBe("True");
    },
    slowMs,
  );

  test(
    "its pods go to the next pool meanwhile, and it is back once a node of the one that tries has joined",
    async () => {
      const classes = [demoNodeClass("first"), demoNodeClass("second")];
      const run = begin(...classes, nodePool("first", 10), nodePool("second", 1), demoDeployment({ replicas: 8 }));
      const { cluster, api } = run.simulation;
      cluster.admits = ({ bootstrap }) => bootstrap.labels["karpenter.sh/nodepool"] !== "first";
      await run.untilMinute(25);
      expect(run.runningPods()).toBe(8);
      expect(run.launches.filter(({ nodePool }) => nodePool === "second")).toHaveLength(8);

      cluster.admits = () => true;
      await run.untilMinute(40);
      expect(api.scale("Deployment", "web", "default", 16).kind).toBe("ok");
      await run.untilMinute(50);
      expect(run.runningPods()).toBe(16);
      expect(
        run.launches.filter(({ nodePool, minute }) => nodePool === "first" && minute >= 40).length,
      ).toBeGreaterThan(0);
      expect(healthOf(run, "first")?.message ?? "").not.toContain("tried again");
    },
    slowMs,
  );

  test(
    "machines that the cloud ends before they join, as without the right to their volume's key, are no endless launches",
    async () => {
      const run = begin(demoNodeClass("default"), nodePool("default", 1), demoDeployment({ replicas: 20 }));
      const { cluster, cloud, clock } = run.simulation;
      cluster.admits = () => false;
      const ends = (untilMinute: number): void => {
        for (const { id } of cloud.instances()) cloud.endByHand(id, "terminate");
        if (clock.nowMs() < startMs + untilMinute * minuteMs) clock.after(5_000, () => ends(untilMinute));
      };
      ends(120);
      await run.untilMinute(120);
      expect(run.launches.length).toBeGreaterThanOrEqual(21);
      expect(run.launches.length).toBeLessThanOrEqual(25);
      expect(run.told).toContain("NodePool default NodesDoNotJoin");
      expect(healthOf(run, "default")?.message).toMatch(/Instance i-\w+ of NodeClaim \S+ ended before its node joined/);

      cluster.admits = () => true;
      await run.untilMinute(190);
      expect(run.runningPods()).toBe(20);
    },
    slowMs,
  );
});
