/** The policy Balanced in the whole simulated cluster and account: what little it saves is not worth moving every pod. */
import { expect, test } from "vitest";
import type { ConsolidationPolicy } from "#api/karpenter-v1/nodepool.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { createSimulation } from "#simulator/simulation.ts";
import { Invocations } from "../../cli/simulate/invocations.ts";
import { demoDeployment, demoNodeClass, demoNodePool } from "../support/demo-manifests.ts";

const minuteMs = 60_000;
const startMs = Date.UTC(2026, 9, 27, 7);
const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };
/** The first is an eighth cheaper. */
const [cheap, dear] = ["c6g.xlarge", "m6g.xlarge"];

/** Two full nodes of the dear type, since the cheap one cannot be had at first; later half of the pods go. */
async function consolidated(consolidationPolicy: ConsolidationPolicy) {
  const simulation = createSimulation({ seed: 7, startMs, clusterName: "demo" });
  const { api, clock, cloud, cluster } = simulation;
  const pool = demoNodePool({
    requirements: [
      { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
      { key: "node.kubernetes.io/instance-type", operator: "In", values: [cheap, dear] },
    ],
    budgets: [{ nodes: "100%" }],
    consolidationPolicy,
  });
  cloud.account.capacity.limit({ instanceType: cheap }, 0, startMs + 6 * minuteMs);
  const web = demoDeployment({ replicas: 4, requests: { cpu: "1500m", memory: "1Gi" } });
  expect(cluster.load([demoNodeClass(), pool, web])).toEqual([]);
  const said = new Set<string>();
  const tick = ({ decisions }: TickReport) => {
    for (const { decision } of decisions) {
      for (const { about, event, message } of decision.reasons) {
        if (about.kind === "NodeClaim" && event?.reason === "Unconsolidatable") said.add(message);
      }
    }
  };
  const start = () => {
    const session = cluster.connect();
    return { ports: { cluster: session, cloud, clock, telemetry: { tick } }, close: session.close };
  };
  const invocations = new Invocations(clock, start, { provider: ec2Provider, settings, seed: 7 });
  invocations.schedule(startMs, startMs + 60 * minuteMs);
  const types = (): readonly string[] =>
    api.store.list("NodeClaim").map(({ metadata }) => metadata.labels?.["node.kubernetes.io/instance-type"] ?? "");
  await clock.runUntil(startMs + 5 * minuteMs);
  const atFirst = types();
  await clock.runUntil(startMs + 30 * minuteMs);
  const full = types();
  api.scale("Deployment", "web", "default", 2);
  await clock.runUntil(startMs + 55 * minuteMs);
  const running = api.store.list("Pod").filter(({ status }) => status?.phase === "Running").length;
  return { atFirst, full, halved: types(), running, said: [...said] };
}

test("Balanced leaves full nodes alone when a type comes back that is a little cheaper, in words, and joins half-empty ones", async () => {
  const { said, ...seen } = await consolidated("Balanced");
  expect(seen).toEqual({ atFirst: [dear, dear], full: [dear, dear], halved: [expect.any(String)], running: 2 });
  expect(said).toContainEqual(
    expect.stringMatching(
      /policy Balanced of NodePool default: it would save .* % of the pool's cost and disturb .* %/,
    ),
  );
});

test("WhenEmptyOrUnderutilized moves them for that", async () => {
  const { said: _, ...seen } = await consolidated("WhenEmptyOrUnderutilized");
  expect(seen).toEqual({ atFirst: [dear, dear], full: [cheap, cheap], halved: [cheap], running: 2 });
});
