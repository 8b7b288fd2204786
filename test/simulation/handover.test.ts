/** How long a node that joins waits for its taint to go, whenever that is while one invocation hands over to the next. */
import { expect, test } from "vitest";
import { runLeasedInvocation } from "#controllers/leased-invocation.ts";
import type { Decision } from "#core/decision.ts";
import { refOf } from "#core/object-ref.ts";
import { defaultSettings } from "#core/settings.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { LeaseClient } from "#simulator/kubernetes/lease-client.ts";
import { SimulatedCluster } from "#simulator/kubernetes/simulated-cluster.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { scriptedProvider } from "../support/scripted-world.ts";

const startMs = Date.parse("2026-01-01T00:00:00.400Z");
const unregistered = "karpenter.sh/unregistered";
/** A call of the API server, and the look at EC2 with which each tick begins. */
const callMs = 30;
const lookMs = 400;
const successorMs = startMs + 20_000;

/** What registration comes to: the taint goes as soon as it is seen. */
function release({ cluster }: Snapshot): Decision {
  const joining = cluster.nodes.filter(({ spec }) => spec.taints?.some(({ key }) => key === unregistered));
  const commands = joining.map((node) => {
    return { kind: "taint-node", target: refOf("Node", node), taints: [] } as const;
  });
  return { commands, reasons: [] };
}

/** `joinMs`: when the node joins; how long its taint stays, ms. */
async function waited(joinMs: number): Promise<number> {
  const clock = new VirtualClock(startMs);
  const cluster = new SimulatedCluster({ clock, seed: 1 });
  cluster.conditions = { apiLatencyMs: callMs };
  const { api } = cluster;
  const plain = new LeaseClient(api);
  const late = async <T>(call: () => Promise<T>): Promise<T> => {
    await clock.sleepUntil(clock.nowMs() + callMs);
    return call();
  };
  const leases = {
    read: () => late(plain.read),
    readKarpenter: () => late(plain.readKarpenter),
    write: (...words: Parameters<typeof plain.write>) => late(() => plain.write(...words)),
  };
  const cloud = {
    observe: () => late(async () => void (await clock.sleepUntil(clock.nowMs() + lookMs))).then(() => nothingInCloud),
    apply: async () => ({ kind: "done" }) as const,
  };
  const configuration = { provider: scriptedProvider(release), settings: defaultSettings, seed: 1 };
  const invoke = (name: string) => async (): Promise<void> => {
    const session = cluster.connect();
    const ports = { cluster: session, cloud, clock, telemetry: { tick: () => {} } };
    const limits = { clusterMs: 5_000, cloudMs: 8_000 };
    await runLeasedInvocation({ name, leases, limits, reaction: "seconds" }, ports, configuration);
    session.close();
  };
  clock.spawn(invoke("first"));
  clock.at(successorMs, () => clock.spawn(invoke("second")));
  let releasedMs = Number.POSITIVE_INFINITY;
  clock.at(joinMs, () => {
    const spec = { taints: [{ key: unregistered, effect: "NoExecute" }] };
    api.create({ apiVersion: "v1", kind: "Node", metadata: { name: "joining" }, spec });
  });
  api.store.listen(({ object }) => {
    if (object.kind !== "Node" || clock.nowMs() < joinMs) return;
    const { taints = [] } = (object as Snapshot["cluster"]["nodes"][number]).spec;
    if (!taints.some(({ key }) => key === unregistered)) releasedMs = Math.min(releasedMs, clock.nowMs());
  });
  await clock.runUntil(startMs + 60_000);
  return releasedMs - joinMs;
}
const nothingInCloud = { instances: [], incomplete: [], view: undefined };

test("a node that joins is released within a second and a half, at whatever moment of a handover", async () => {
  const waits: number[] = [];
  for (let joinMs = successorMs - 1_500; joinMs <= successorMs + 3_000; joinMs += 75) waits.push(await waited(joinMs));
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_500);
  expect(Math.min(...waits)).toBeLessThan(1_000);
});
