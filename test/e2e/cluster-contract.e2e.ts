import { afterAll, beforeAll } from "vitest";
import { KubernetesCluster } from "../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { LeaseStore } from "../../shared/adapters/kubernetes/lease-store.ts";
import { clusterContract } from "../contract/cluster-contract.ts";
import type { ClusterUnderTest } from "../contract/cluster-under-test.ts";
import { leaseContract } from "../contract/lease-contract.ts";
import { eventually, type RealCluster, reconcileTransport, startRealCluster } from "./support/real-cluster.ts";

let real: RealCluster;
let cases = 0;

beforeAll(async () => {
  real = await startRealCluster({
    // Nodes without a kubelet must not become NotReady in the middle of a case.
    controllerManagerFlags: ["--node-monitor-grace-period=1h"],
    // As older servers, this one lets a list expire when etcd is compacted.
    apiServerFlags: () => ["--feature-gates=ListFromCacheSnapshot=false"],
  });
});
afterAll(() => real.stop());

clusterContract("a real API server", underTest);
leaseContract("a real API server", async () => {
  const { admin, controlPlane } = real;
  await admin.delete("Lease", "outrigger", "kube-system");
  await admin.delete("Lease", "karpenter-leader-election", "default");
  return { leases: new LeaseStore(reconcileTransport(controlPlane)), admin, nowMs: Date.now };
});

async function underTest(): Promise<ClusterUnderTest> {
  const { admin, controlPlane } = real;
  const transport = reconcileTransport(controlPlane);
  const cluster = new KubernetesCluster(transport);
  const prefix = `c${++cases}`;
  return {
    cluster,
    admin,
    prefix,
    nowMs: Date.now,
    run: async (body) => {
      try {
        await body();
      } finally {
        cluster.close();
        transport.close();
        await removeTraces(prefix);
      }
    },
    eventually: (what, condition) => eventually(what, condition),
    compact: compactEtcd,
  };
}

/** What a case leaves would wake the next one: pods that the scheduler tries again, claims that wait for a finalizer. */
async function removeTraces(prefix: string): Promise<void> {
  const { admin } = real;
  for (const kind of ["Deployment", "PodDisruptionBudget", "Pod", "NodeClaim", "NodePool", "Node"]) {
    const reply = await admin.list(kind);
    const ours =
      reply.kind === "ok" ? reply.object.items.filter((one) => one.metadata.name.startsWith(`${prefix}-`)) : [];
    for (const { metadata } of ours) {
      const { name, namespace } = metadata;
      await admin.patch(kind, name, namespace, { metadata: { finalizers: null } });
      await admin.delete(kind, name, namespace, { gracePeriodSeconds: 0 });
    }
  }
}

async function compactEtcd(): Promise<void> {
  const { etcdUrl } = real.controlPlane;
  const post = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${etcdUrl}${path}`, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };
  // The revision that is compacted to can still be read: it must not be the one of the list.
  await post("/v3/kv/put", { key: "b25lIG1vcmU=", value: "" });
  const status = (await post("/v3/maintenance/status", {})) as { readonly header: { readonly revision: string } };
  await post("/v3/kv/compaction", { revision: status.header.revision, physical: true });
}
