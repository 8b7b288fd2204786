/** Nodes that are equally old expire together: their pods get as many nodes as before, not wave upon wave of them. */
import { describe, expect, test } from "vitest";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { createSimulation } from "#simulator/simulation.ts";
import { Invocations } from "../../cli/simulate/invocations.ts";

const startMs = Date.UTC(2026, 9, 27, 7);
const minuteMs = 60_000;
const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };

interface App {
  readonly name: string;
  readonly replicas: number;
  readonly cpu: string;
}

const discovered = [{ tags: { "karpenter.sh/discovery": "demo" } }];
const nodeClass = {
  apiVersion: "karpenter.k8s.aws/v1",
  kind: "EC2NodeClass",
  metadata: { name: "default" },
  spec: {
    role: "node",
    amiSelectorTerms: [{ alias: "al2023@latest" }],
    subnetSelectorTerms: discovered,
    securityGroupSelectorTerms: discovered,
  },
};

function nodePool(consolidateAfter: string): object {
  const requirements = [
    { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
    { key: "karpenter.k8s.aws/instance-cpu", operator: "In", values: ["4"] },
  ];
  const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      template: { spec: { expireAfter: "30m", requirements, nodeClassRef } },
      disruption: { consolidateAfter },
    },
  };
}

function workload({ name, replicas, cpu }: App, isGuarded: boolean): readonly object[] {
  const selector = { matchLabels: { app: name } };
  const containers = [{ name: "c", image: "i", resources: { requests: { cpu } } }];
  const template = { metadata: { labels: { app: name } }, spec: { containers } };
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name } };
  const budget = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name } };
  return [
    { ...deployment, spec: { replicas, selector, template } },
    ...(isGuarded ? [{ ...budget, spec: { selector, maxUnavailable: 1 } }] : []),
  ];
}

interface Watched {
  /** Claims that are not going, before the first of them expires, the most after that, and at the end. */
  readonly before: number;
  readonly most: number;
  readonly after: number;
  /** Before and after are other claims. */
  readonly isReplaced: boolean;
}

/** From the first pods to shortly before the replacements expire. */
async function watched(apps: readonly App[], isGuarded: boolean, consolidateAfter: string): Promise<Watched> {
  const { clock, cluster, cloud, api } = createSimulation({ seed: 3, startMs, clusterName: "demo" });
  const objects = [nodeClass, nodePool(consolidateAfter), ...apps.flatMap((app) => workload(app, isGuarded))];
  expect(cluster.load(objects)).toEqual([]);
  const start = () => {
    const session = cluster.connect();
    return { ports: { cluster: session, cloud, clock, telemetry: { tick: () => {} } }, close: session.close };
  };
  const invocations = new Invocations(
    clock,
    start,
    { provider: ec2Provider, settings, seed: 3 },
    { processPerTick: false },
  );
  const endMs = startMs + 58 * minuteMs;
  invocations.schedule(startMs, endMs);
  const staying = (): readonly string[] =>
    api.store
      .list("NodeClaim")
      .flatMap(({ metadata }) => (metadata.deletionTimestamp === undefined ? metadata.name : []));
  await clock.runUntil(startMs + 29 * minuteMs);
  const before = staying();
  let most = 0;
  for (let atMs = clock.nowMs(); atMs < endMs; atMs += 1_000) {
    await clock.runUntil(atMs);
    most = Math.max(most, staying().length);
  }
  const after = staying();
  const isReplaced = !after.some((name) => before.includes(name));
  return { before: before.length, most, after: after.length, isReplaced };
}

const alike: readonly App[] = [{ name: "web", replicas: 24, cpu: "1200m" }];
const mixed: readonly App[] = [
  { name: "web", replicas: 12, cpu: "1200m" },
  { name: "big", replicas: 5, cpu: "2500m" },
  { name: "small", replicas: 10, cpu: "600m" },
  { name: "tiny", replicas: 15, cpu: "200m" },
];

describe("nodes that expire together", { timeout: 120_000 }, () => {
  test.each([
    ["without a PodDisruptionBudget", false],
    ["with one that lets them go one by one", true],
  ])("under pods alike are replaced one for one, %s", async (_, isGuarded) => {
    expect(await watched(alike, isGuarded, "Never")).toEqual({ before: 8, most: 8, after: 8, isReplaced: true });
  });

  test("under pods of all sizes may be too few where kube-scheduler spread the first that came; what is too many goes", async () => {
    const { before, most, after, isReplaced } = await watched(mixed, true, "30s");
    expect({ before, after, isReplaced }).toEqual({ before: 10, after: 10, isReplaced: true });
    expect(most).toBeLessThanOrEqual(before + 2);
  });
});
