/** Row 9, the other half: pods that the settings ignore when they are alone do not keep the last nodes either. */
import { expect, test } from "vitest";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { createSimulation } from "#simulator/simulation.ts";
import { Invocations } from "../../cli/simulate/invocations.ts";
import { demoDeployment, demoNodeClass, demoNodePool } from "../support/demo-manifests.ts";

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 9, 27, 7);
const nodePool = demoNodePool({
  requirements: [{ key: "karpenter.k8s.aws/instance-cpu", operator: "In", values: ["2"] }],
  budgets: [{ nodes: "1" }],
});

/** Two pods of each fill a node. */
function workload(name: string, namespace: string, replicas: number): object {
  return demoDeployment({ name, namespace, replicas, requests: { cpu: "700m" } });
}

const dnsBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "dns", namespace: "kube-system" },
  spec: { maxUnavailable: 1, selector: { matchLabels: { app: "dns" } } },
};

async function scaledDown(ignoreWhenAloneNamespaces: readonly string[]) {
  const simulation = createSimulation({ seed: 5, startMs, clusterName: "demo" });
  const objects = [
    demoNodeClass(),
    nodePool,
    workload("dns", "kube-system", 3),
    dnsBudget,
    workload("web", "default", 2),
  ];
  expect(simulation.cluster.load(objects)).toEqual([]);
  const { api, clock, cloud, cluster } = simulation;
  const settings = { ...defaultSettings, ignoreWhenAloneNamespaces, clusterName: "demo", clusterIdentity: "demo-1" };
  let made = 0;
  const start = () => {
    const session = cluster.connect();
    const tick = ({ steps }: { readonly steps: readonly { readonly command: { readonly kind: string } }[] }) => {
      made += steps.filter(({ command }) => command.kind === "create-node-claim").length;
    };
    return { ports: { cluster: session, cloud, clock, telemetry: { tick } }, close: session.close };
  };
  new Invocations(clock, start, { provider: ec2Provider, settings, seed: 5 }).schedule(
    startMs,
    startMs + 60 * minuteMs,
  );
  const scale = (replicas: number) => api.scale("Deployment", "web", "default", replicas);
  await clock.runUntil(startMs + 10 * minuteMs);
  const atFirst = api.store.list("NodeClaim").length;
  scale(0);
  await clock.runUntil(startMs + 35 * minuteMs);
  const afterwards = api.store.list("NodeClaim").length;
  const madeBefore = made;
  scale(1);
  await clock.runUntil(startMs + 45 * minuteMs);
  const running = api.store.list("Pod").filter(({ status }) => status?.phase === "Running").length;
  return { atFirst, madeBefore, afterwards, running };
}

test("with the rule the cluster reaches zero, though a PodDisruptionBudget protects them, and wakes for another pod", async () => {
  const { atFirst, madeBefore, afterwards, running } = await scaledDown(["kube-system"]);
  expect(atFirst).toBeGreaterThan(1);
  expect(madeBefore).toBe(atFirst);
  expect(afterwards).toBe(0);
  expect(running).toBe(4);
});

test("without the rule they keep a node", async () => {
  const { afterwards } = await scaledDown([]);
  expect(afterwards).toBeGreaterThan(0);
});
