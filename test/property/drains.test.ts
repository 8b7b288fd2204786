/** Nodes that are drained together in the whole simulated cluster: eviction by eviction, as its API server allows. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { createSimulation, type Simulation } from "#simulator/simulation.ts";
import { Invocations } from "../../cli/simulate/invocations.ts";
import { demoDeployment, demoNodeClass, demoNodePool } from "../support/demo-manifests.ts";

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 9, 27, 7);
const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };

type Bound = { readonly kind: "maxUnavailable" | "minAvailable"; readonly of: number; readonly isPercent: boolean };

interface Workload {
  readonly replicas: number;
  readonly bound: Bound;
}

const workload: fc.Arbitrary<Workload> = fc.record({
  replicas: fc.integer({ min: 1, max: 6 }),
  bound: fc.record({
    kind: fc.constantFrom("maxUnavailable" as const, "minAvailable" as const),
    of: fc.integer({ min: 0, max: 3 }),
    isPercent: fc.boolean(),
  }),
});

interface Plan {
  readonly workloads: readonly Workload[];
  /** Which nodes go: those whose number in the order of names has its bit set. */
  readonly mask: number;
  readonly processPerTick: boolean;
  readonly seed: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  workloads: fc.array(workload, { minLength: 2, maxLength: 4 }),
  mask: fc.integer({ min: 1, max: 255 }),
  processPerTick: fc.boolean(),
  seed: fc.integer({ min: 1, max: 1_000 }),
});

const nameOf = (index: number): string => `app-${index}`;

function budget({ bound }: Workload, index: number): object {
  const value = bound.isPercent ? `${bound.of * 25}%` : bound.of;
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: nameOf(index), namespace: "default" },
    spec: { [bound.kind]: value, selector: { matchLabels: { app: nameOf(index) } } },
  };
}

/** How many pods must be ready at any time, by the words of the API: shares of the replicas round up. */
function required({ replicas, bound: { kind, of, isPercent } }: Workload): number {
  const count = isPercent ? Math.ceil((replicas * of) / 4) : of;
  return kind === "minAvailable" ? count : Math.max(0, replicas - count);
}

function readyPods(api: Simulation["api"], index: number): number {
  const isReady = ({ status, metadata }: Pod): boolean =>
    metadata.deletionTimestamp === undefined &&
    (status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") ?? false);
  return api.store.list("Pod").filter((pod) => pod.metadata.labels?.app === nameOf(index) && isReady(pod)).length;
}

/** Drains the nodes, and looks at the budgets with each change of a pod. */
async function drained({ workloads, mask, processPerTick, seed }: Plan) {
  const simulation = createSimulation({ seed, startMs, clusterName: "demo" });
  // Two pods fill a node.
  const requirements = [{ key: "karpenter.k8s.aws/instance-cpu", operator: "In", values: ["2"] }] as const;
  const pods = workloads.map(({ replicas }, index) =>
    demoDeployment({ name: nameOf(index), namespace: "default", replicas, requests: { cpu: "700m" } }),
  );
  const pool = demoNodePool({ requirements });
  expect(simulation.cluster.load([demoNodeClass(), pool, ...pods, ...workloads.map(budget)])).toEqual([]);
  const { api, clock, cloud, cluster } = simulation;
  const start = () => {
    const session = cluster.connect();
    return { ports: { cluster: session, cloud, clock, telemetry: { tick: () => {} } }, close: session.close };
  };
  const configuration = { provider: ec2Provider, settings, seed };
  const invocations = new Invocations(clock, start, configuration, { processPerTick });
  const endMs = startMs + 20 * minuteMs;
  invocations.schedule(startMs, endMs);
  await clock.runUntil(startMs + 6 * minuteMs);
  workloads.forEach(({ replicas }, index) => {
    expect(readyPods(api, index)).toBe(replicas);
  });
  const going = api.store.list("NodeClaim").filter((_, index) => ((mask >> (index % 8)) & 1) === 1);
  const broken: string[] = [];
  api.store.listen(({ object }) => {
    if (object.kind !== "Pod") return;
    workloads.forEach((one, index) => {
      const ready = readyPods(api, index);
      if (ready >= Math.min(required(one), one.replicas)) return;
      broken.push(`${nameOf(index)}: ${ready} ready at ${(clock.nowMs() - startMs) / 1_000} s`);
    });
  });
  for (const { metadata } of going) api.delete("NodeClaim", metadata.name, undefined);
  invocations.wake();
  await clock.runUntil(endMs);
  expect(broken).toEqual([]);
  const left = new Set(api.store.list("NodeClaim").map(({ metadata }) => metadata.uid));
  return { going: going.length, gone: going.filter(({ metadata }) => !left.has(metadata.uid)).length };
}

test("a drained set never breaks a PodDisruptionBudget, and ends where the budgets allow it", async () => {
  const all = { going: 0, gone: 0, held: 0 };
  await fc.assert(
    fc.asyncProperty(plan, async (one) => {
      const { going, gone } = await drained(one);
      const mayAllMove = one.workloads.every((each) => required(each) < each.replicas);
      if (mayAllMove) expect(gone).toBe(going);
      all.going += going;
      all.gone += gone;
      all.held += going - gone;
    }),
    { numRuns: 15, seed: 11 },
  );
  expect(all.gone).toBeGreaterThan(15);
  expect(all.held).toBeGreaterThan(3);
}, 120_000);
