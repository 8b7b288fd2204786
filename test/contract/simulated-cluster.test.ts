import type { Answer } from "#simulator/kubernetes/api-server/answer.ts";
import { LeaseClient } from "#simulator/kubernetes/lease-client.ts";
import { SimulatedCluster } from "#simulator/kubernetes/simulated-cluster.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { clusterContract } from "./cluster-contract.ts";
import type { Admin, ClusterUnderTest, Reply } from "./cluster-under-test.ts";
import { leaseContract } from "./lease-contract.ts";

const startMs = Date.parse("2026-01-01T00:00:00Z");

clusterContract("the simulated cluster", async () => underTest(0));
// Latency lets other things happen in the middle of a look or of a batch of writes.
clusterContract("the simulated cluster with latency", async () => underTest(20));

leaseContract("the simulated cluster", async () => {
  const clock = new VirtualClock(startMs);
  const cluster = new SimulatedCluster({ clock, seed: 7 });
  return { leases: new LeaseClient(cluster.api), admin: adminOf(cluster), nowMs: clock.nowMs };
});

function underTest(apiLatencyMs: number): ClusterUnderTest {
  const clock = new VirtualClock(startMs);
  const cluster = new SimulatedCluster({ clock, seed: 7 });
  cluster.conditions = { apiLatencyMs };
  return {
    cluster,
    admin: adminOf(cluster),
    prefix: "t",
    nowMs: clock.nowMs,
    run: async (body) => {
      let ended = false;
      clock.spawn(async () => {
        await body();
        ended = true;
      });
      await clock.runUntil(startMs + 3_600_000);
      if (!ended) throw new Error("the case did not end within an hour of simulated time");
    },
    eventually: async (what, condition) => {
      for (let tries = 0; tries < 300; tries++) {
        if (await condition()) return;
        await clock.sleepUntil(clock.nowMs() + 200);
      }
      throw new Error(`not within a minute: ${what}`);
    },
    compact: async () => cluster.api.compact(),
  };
}

function adminOf({ api }: SimulatedCluster): Admin {
  return {
    create: async (object) => replyOf(api.create(object)),
    get: async (kind, name, namespace) => replyOf(api.get(kind, name, namespace)),
    list: async (kind, query) => {
      const answer = api.list(kind, query);
      return answer.kind === "refused" ? answer : { kind: "ok", object: answer };
    },
    patch: async (kind, name, namespace, patch, subresource) => {
      if (subresource !== "scale") return replyOf(api.patch(kind, name, namespace, patch, subresource));
      const { spec } = patch as { readonly spec: { readonly replicas: number } };
      return replyOf(api.scale(kind, name, namespace, spec.replicas));
    },
    delete: async (kind, name, namespace, options) => replyOf(api.delete(kind, name, namespace, options)),
    watch: async (kind, resourceVersion, query, hear) => {
      const watching = api.watch(kind, { ...query, resourceVersion }, hear);
      if (watching.kind === "refused") throw new Error(watching.message);
      return watching.stop;
    },
  };
}

function replyOf(answer: Answer): Reply {
  return answer.kind === "refused" ? answer : { kind: "ok", object: answer.object };
}
