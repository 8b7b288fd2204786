import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isTrue } from "#core/condition.ts";
import { defaultSettings } from "#core/settings.ts";
import { workshopProvider } from "#simulator/workshop-cloud/workshop-provider.ts";
import { createWorkshopSimulation, type WorkshopSimulation } from "#simulator/workshop-cloud/workshop-simulation.ts";
import type { WorkshopQuery, WorkshopView } from "#simulator/workshop-cloud/workshop-view.ts";
import { Invocations, type Process } from "../../cli/simulate/invocations.ts";

const minuteMs = 60_000;
const settings = { ...defaultSettings, clusterName: "workshop", clusterIdentity: "workshop-1" };

const workshopClass = {
  apiVersion: "workshop.example/v1",
  kind: "WorkshopClass",
  metadata: { name: "floor" },
  spec: { halls: ["north-hall", "south-hall"], system: "plain" },
};

const nodePool = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "benches" },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: "workshop.example", kind: "WorkshopClass", name: "floor" },
        requirements: [{ key: "workshop.example/machine-family", operator: "In", values: ["bellows", "crucible"] }],
        expireAfter: "Never",
      },
    },
    disruption: { consolidateAfter: "30s", consolidationPolicy: "WhenEmpty", budgets: [{ nodes: "100%" }] },
  },
};

function deployment(replicas: number): object {
  const labels = { app: "planer" };
  const container = { name: "main", image: "planer:1", resources: { requests: { cpu: "1500m", memory: "3Gi" } } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "planer", namespace: "default" },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

async function runMinutes({ clock, cluster, cloud }: WorkshopSimulation, minutes: number): Promise<void> {
  const start = (): Process<WorkshopQuery, WorkshopView> => {
    const session = cluster.connect();
    return { ports: { cluster: session, cloud, clock, telemetry: { tick: () => {} } }, close: session.close };
  };
  const untilMs = clock.nowMs() + minutes * minuteMs;
  new Invocations(clock, start, { provider: workshopProvider, settings, seed: 1 }).schedule(clock.nowMs(), untilMs);
  await clock.runUntil(untilMs);
}

describe("a second cloud under the same core and stages", () => {
  test("machines are rented for pods, join, run them, and are returned when they are empty", async () => {
    const simulation = createWorkshopSimulation(1, Date.UTC(2026, 0, 1));
    const { cluster, cloud } = simulation;
    const { store } = cluster.api;
    expect(cluster.load([workshopClass, nodePool, deployment(3)])).toEqual([]);

    await runMinutes(simulation, 4);
    const pods = store.list("Pod");
    expect(pods.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Running"]);
    const claims = store.list("NodeClaim");
    expect(claims.length).toBeGreaterThan(0);
    expect(claims.every((claim) => isTrue(claim, "Ready"))).toBe(true);
    for (const node of store.list("Node")) {
      expect(["bellows", "crucible"]).toContain(node.metadata.labels?.["workshop.example/machine-family"]);
      expect(node.metadata.labels).toMatchObject({
        "karpenter.sh/registered": "true",
        "karpenter.sh/nodepool": "benches",
      });
    }

    expect(cluster.api.scale("Deployment", "planer", "default", 0).kind).toBe("ok");
    await runMinutes(simulation, 6);
    expect(store.list("Node")).toEqual([]);
    expect(store.list("NodeClaim")).toEqual([]);
    const { instances } = await cloud.observe({ systems: [] });
    expect(instances.map(({ state }) => state)).toEqual(claims.map(() => "terminated"));
  });

  test("the second cloud's files know no word of the first", () => {
    const folder = new URL("../../shared/adapters/simulator/workshop-cloud/", import.meta.url);
    const files = readdirSync(folder);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(readFileSync(new URL(file, folder), "utf8"), file).not.toMatch(/\b(aws|ec2|amazon|eks|ami|vpc|subnet)/i);
    }
  });
});
