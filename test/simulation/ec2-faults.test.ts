import { describe, expect, test } from "vitest";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { Command } from "#core/command.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { throttled } from "#simulator/ec2/fault-script.ts";
import { stateOf } from "#simulator/ec2/instances.ts";
import { createSimulation, type Simulation, type SimulationOptions } from "#simulator/simulation.ts";
import { Invocations, type Process } from "../../cli/simulate/invocations.ts";
import { frozenPorts } from "../support/deep-freeze.ts";
import { demoDeployment, demoNodeClass, demoNodePool } from "../support/demo-manifests.ts";

const minuteMs = 60_000;
const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };

const everyMachine: readonly RequirementSpec[] = [
  { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"] },
  { key: "karpenter.k8s.aws/instance-cpu", operator: "In", values: ["2"] },
  { key: "karpenter.sh/capacity-type", operator: "In", values: ["spot", "on-demand"] },
];
const manifests = [
  demoNodeClass(),
  demoNodePool({ requirements: everyMachine, expireAfter: "Never", budgets: [{ nodes: "100%" }] }),
  demoDeployment({ replicas: 10 }),
];

function begin(options: Partial<SimulationOptions> = {}): Simulation {
  const simulation = createSimulation({ seed: 3, startMs: Date.UTC(2026, 0, 1), clusterName: "demo", ...options });
  expect(simulation.cluster.load(manifests)).toEqual([]);
  return simulation;
}

/** Every tick in a process of its own, on frozen data. */
async function runMinutes({ clock, cluster, cloud }: Simulation, minutes: number): Promise<readonly TickReport[]> {
  const reports: TickReport[] = [];
  const start = (): Process<Ec2Query, Ec2View> => {
    const session = cluster.connect();
    const telemetry = { tick: (report: TickReport) => reports.push(report) };
    return { ports: frozenPorts({ cluster: session, cloud, clock, telemetry }), close: session.close };
  };
  const invocations = new Invocations(
    clock,
    start,
    { provider: ec2Provider, settings, seed: 3 },
    { processPerTick: true },
  );
  const untilMs = clock.nowMs() + minutes * minuteMs;
  invocations.schedule(clock.nowMs(), untilMs);
  await clock.runUntil(untilMs);
  return reports;
}

/** The claim that a command is about. */
function objectOf(command: Command): string | undefined {
  if (command.kind === "create-node-claim") return command.nodeClaim.metadata.name;
  if (command.kind === "launch-instance") return command.nodeClaim;
  return "target" in command && command.target.kind === "NodeClaim" ? command.target.name : undefined;
}

function runningPods({ api }: Simulation): number {
  return api.store.list("Pod").filter(({ status }) => status?.phase === "Running").length;
}

/** Claims and living instances are the same set: none doubled, none lost. */
function expectOneInstanceAClaim({ api, cloud }: Simulation): void {
  const claims = api.store.list("NodeClaim").map(({ status }) => status?.providerID);
  const alive = cloud.instances().filter((record) => ["pending", "running"].includes(stateOf(record)));
  expect(claims.sort()).toEqual(alive.map(({ zone, id }) => `aws:///${zone}/${id}`).sort());
}

test("a claim is launched in the tick that creates it, after its attempt is on record", async () => {
  const reports = await runMinutes(begin(), 3);
  const created = reports.flatMap(({ steps }) =>
    steps.flatMap(({ command }) => (command.kind === "create-node-claim" ? [{ command, steps }] : [])),
  );
  expect(created.length).toBeGreaterThan(0);
  for (const { command, steps } of created) {
    const { name } = command.nodeClaim.metadata;
    const of = steps.map((step) => step.command).filter((each) => objectOf(each) === name);
    const kinds = of.map(({ kind }) => kind);
    expect(kinds.indexOf("create-node-claim")).toBeLessThan(kinds.indexOf("patch-metadata"));
    expect(kinds.indexOf("patch-metadata")).toBeLessThan(kinds.indexOf("launch-instance"));
  }
});

describe("a cluster on an EC2 that misbehaves", () => {
  test("the third of ten launches throttled: ten instances in all", async () => {
    const simulation = begin();
    simulation.cloud.script.failCalls("launch-instance", { fault: throttled, effect: "none" }, 3);
    await runMinutes(simulation, 6);
    expect(runningPods(simulation)).toBe(10);
    expect(simulation.cloud.instances()).toHaveLength(10);
    expectOneInstanceAClaim(simulation);
  });

  test("replies to launches lost: the instances are found again, and none is doubled", async () => {
    const simulation = begin({ ec2Delays: { staleMs: [5_000, 20_000] } });
    const fault = { kind: "unavailable", code: "TimeoutError", message: "no reply" } as const;
    simulation.cloud.script.failCalls("launch-instance", { fault, effect: "reply-lost" }, 2, 3);
    await runMinutes(simulation, 6);
    expect(runningPods(simulation)).toBe(10);
    expect(simulation.cloud.instances()).toHaveLength(10);
    expectOneInstanceAClaim(simulation);
  });

  test("reads that lag twenty seconds behind and are throttled cost no node", async () => {
    const simulation = begin({ ec2Delays: { staleMs: [20_000, 20_000] } });
    for (let i = 0; i < 10; i++) {
      simulation.cloud.script.failReads([{ what: "instances", how: i % 2 === 0 ? "nothing" : "half" }]);
      simulation.cloud.script.failReads([], 2);
    }
    await runMinutes(simulation, 8);
    expect(runningPods(simulation)).toBe(10);
    expect(simulation.cloud.instances()).toHaveLength(10);
    expectOneInstanceAClaim(simulation);
  });

  test("no spot capacity anywhere: the pods run on demand", async () => {
    const simulation = begin();
    simulation.cloud.account.capacity.limit({ capacityType: "spot" }, 0);
    await runMinutes(simulation, 12);
    expect(runningPods(simulation)).toBe(10);
    const types = new Set(simulation.cloud.instances().map(({ capacityType }) => capacityType));
    expect([...types]).toEqual(["on-demand"]);
    expectOneInstanceAClaim(simulation);
  });

  test("scaled to nothing, every instance ends", async () => {
    const simulation = begin();
    await runMinutes(simulation, 4);
    expect(simulation.api.scale("Deployment", "web", "default", 0).kind).toBe("ok");
    await runMinutes(simulation, 8);
    expect(simulation.api.store.list("Node")).toEqual([]);
    expect(simulation.api.store.list("NodeClaim")).toEqual([]);
    expect(new Set(simulation.cloud.instances().map(stateOf))).toEqual(new Set(["terminated"]));
    expect(simulation.bill().perHour).toBe(0);
  });
});
