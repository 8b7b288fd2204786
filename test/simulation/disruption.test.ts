/** Nodes that drift, in the whole simulated cluster and account: pods are served all the while. */
import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { createSimulation, type Simulation } from "#simulator/simulation.ts";
import { Invocations } from "../../cli/simulate/invocations.ts";

const startMs = Date.UTC(2026, 9, 27, 7);
const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };
const replicas = 6;

const pool = {
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name: "default" },
  spec: {
    template: {
      spec: {
        requirements: [
          { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
          { key: "karpenter.k8s.aws/instance-cpu", operator: "In", values: ["4"] },
        ],
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
      },
    },
    disruption: { consolidateAfter: "Never", budgets: [{ nodes: "2" }] },
  },
};

const web = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "3" } } }] },
    },
  },
};

const pdb = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web" },
  spec: { selector: { matchLabels: { app: "web" } }, maxUnavailable: 1 },
};

function nodeClass(alias: string) {
  const discovered = [{ tags: { "karpenter.sh/discovery": "demo" } }];
  return {
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name: "default" },
    spec: {
      role: "node",
      amiSelectorTerms: [{ alias }],
      subnetSelectorTerms: discovered,
      securityGroupSelectorTerms: discovered,
    },
  };
}

interface Watched {
  /** The fewest pods that were ready at any second after all had been. */
  readonly served: number;
  /** The most nodes that were on their way out at once. */
  readonly going: number;
  /** Claims that are there at the end, and were not when the image came out. */
  readonly made: number;
  readonly drifted: number;
}

/** A node whose instance is being ended already does not count, as in Karpenter's budgets. */
function nodesGoing(api: Simulation["api"]): number {
  const ending = new Set(
    api.store
      .list("NodeClaim")
      .flatMap(({ status }) => (hasCondition(status, "InstanceTerminating") ? status?.nodeName : [])),
  );
  return api.store.list("Node").filter(({ metadata, spec }) => {
    const isTainted = (spec.taints ?? []).some(({ key }) => key === "karpenter.sh/disrupted");
    return (isTainted || metadata.deletionTimestamp !== undefined) && !ending.has(metadata.name);
  }).length;
}

function hasCondition(status: NodeClaim["status"], type: string): boolean {
  return (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
}

/** Half an hour after an image came out, with the alias that the class names. */
async function released(alias: string, processPerTick: boolean): Promise<Watched> {
  const simulation: Simulation = createSimulation({
    ...{ seed: 3, startMs, clusterName: "demo" },
    latest: { al2023: "v20240807" },
  });
  expect(simulation.cluster.load([nodeClass(alias), pool, pdb, web])).toEqual([]);
  const { clock, cluster, cloud, api } = simulation;
  const start = () => {
    const session = cluster.connect();
    return { ports: { cluster: session, cloud, clock, telemetry: { tick: () => {} } }, close: session.close };
  };
  const invocations = new Invocations(clock, start, { provider: ec2Provider, settings, seed: 3 }, { processPerTick });
  const endMs = startMs + 50 * 60_000;
  invocations.schedule(startMs, endMs);
  const ready = () =>
    api.store
      .list("Pod")
      .filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True"))
      .length;
  await clock.runUntil(startMs + 10 * 60_000);
  expect(ready()).toBe(replicas);
  const before = new Set(api.store.list("NodeClaim").map(({ metadata }) => metadata.uid));
  cloud.account.images.release({ al2023: "v20241024" });
  let [served, going] = [replicas, 0];
  for (let atMs = clock.nowMs(); atMs < endMs; atMs += 1_000) {
    await clock.runUntil(atMs);
    served = Math.min(served, ready());
    going = Math.max(going, nodesGoing(api));
  }
  const claims = api.store.list("NodeClaim");
  const drifted = claims.filter(({ status }) => hasCondition(status, "Drifted"));
  return {
    served,
    going,
    made: claims.filter(({ metadata }) => !before.has(metadata.uid)).length,
    drifted: drifted.length,
  };
}

describe("row 39: a new machine image comes out", () => {
  test.each([
    ["in one process a stay", false],
    ["in a process a tick", true],
  ])(
    "%s: all nodes are replaced, two at a time as the budget says, and the PodDisruptionBudget holds",
    async (_, apart) => {
      const { served, going, made, drifted } = await released("al2023@latest", apart);
      expect(served).toBeGreaterThanOrEqual(replicas - 1);
      expect(going).toBe(2);
      expect(made).toBe(replicas);
      expect(drifted).toBe(0);
    },
  );

  test("a pinned alias: no node goes", async () => {
    expect(await released("al2023@v20240807", false)).toEqual({ served: replicas, going: 0, made: 0, drifted: 0 });
  });
});
