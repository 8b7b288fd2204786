import { expect } from "vitest";
import { refOf } from "#core/object-ref.ts";
import { budget, node, pod, runningStatus } from "../cluster-objects.ts";
import type { ClusterUnderTest } from "../cluster-under-test.ts";
import { contractTest, expectFault, type MakeCluster, stored } from "./cases.ts";

/** A pod that runs on a node of its own, without a kubelet that would end it. */
async function runningPod({ admin, prefix }: ClusterUnderTest, name: string, app: string) {
  await admin.create(node(`${prefix}-n`, false));
  stored(await admin.create(pod(`${prefix}-${name}`, { nodeName: `${prefix}-n`, app: `${prefix}-${app}` })));
  return stored(await admin.patch("Pod", `${prefix}-${name}`, "default", { status: runningStatus }, "status"));
}

async function computedBudget(it: ClusterUnderTest, name: string, app: string, minAvailable: number, allowed: number) {
  const { admin, prefix, eventually } = it;
  stored(await admin.create(budget(`${prefix}-${name}`, `${prefix}-${app}`, minAvailable)));
  await eventually(`budget ${name} allows ${allowed}`, async () => {
    const { status } = stored(await admin.get("PodDisruptionBudget", `${prefix}-${name}`, "default")) as {
      readonly status?: { readonly disruptionsAllowed?: number; readonly observedGeneration?: number };
    };
    return status?.observedGeneration === 1 && status.disruptionsAllowed === allowed;
  });
}

export function evictionCases(makeCluster: MakeCluster): void {
  contractTest(makeCluster, "an evicted pod is on its way out and says by whom", async (it) => {
    const running = await runningPod(it, "p", "web");
    expect(await it.cluster.apply({ kind: "evict-pod", target: refOf("Pod", running) })).toEqual({ kind: "done" });
    const evicted = stored(await it.admin.get("Pod", `${it.prefix}-p`, "default"));
    expect(evicted.metadata.deletionTimestamp).toBeDefined();
    const condition = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" };
    expect(evicted).toMatchObject({
      status: { conditions: expect.arrayContaining([expect.objectContaining(condition)]) },
    });
  });

  contractTest(makeCluster, "a budget without room refuses", async (it) => {
    const running = await runningPod(it, "p", "web");
    await computedBudget(it, "b", "web", 1, 0);
    expectFault(await it.cluster.apply({ kind: "evict-pod", target: refOf("Pod", running) }), "eviction-refused");
    const kept = stored(await it.admin.get("Pod", `${it.prefix}-p`, "default"));
    expect(kept.metadata.deletionTimestamp).toBeUndefined();
  });

  contractTest(makeCluster, "a budget with room for one lets one of two go", async (it) => {
    const first = await runningPod(it, "p1", "web");
    const second = await runningPod(it, "p2", "web");
    await computedBudget(it, "b", "web", 1, 1);
    expect(await it.cluster.apply({ kind: "evict-pod", target: refOf("Pod", first) })).toEqual({ kind: "done" });
    expectFault(await it.cluster.apply({ kind: "evict-pod", target: refOf("Pod", second) }), "eviction-refused");
  });

  contractTest(makeCluster, "two budgets over one pod refuse always", async (it) => {
    const running = await runningPod(it, "p", "web");
    await computedBudget(it, "b1", "web", 0, 1);
    await computedBudget(it, "b2", "web", 0, 1);
    expectFault(await it.cluster.apply({ kind: "evict-pod", target: refOf("Pod", running) }), "eviction-refused");
  });

  contractTest(makeCluster, "a pod that does not run needs no budget", async (it) => {
    const pending = stored(await it.admin.create(pod(`${it.prefix}-p`, { app: `${it.prefix}-web`, cpu: "100" })));
    await computedBudget(it, "b", "web", 1, 0);
    expect(await it.cluster.apply({ kind: "evict-pod", target: refOf("Pod", pending) })).toEqual({ kind: "done" });
  });

  contractTest(makeCluster, "an eviction names its pod by UID", async (it) => {
    const running = await runningPod(it, "p", "web");
    const other = { ...refOf("Pod", running), uid: "00000000-0000-4000-8000-000000000000" };
    expectFault(await it.cluster.apply({ kind: "evict-pod", target: other }), "conflict");
    const none = { kind: "Pod", namespace: "default", name: `${it.prefix}-none` } as const;
    expectFault(await it.cluster.apply({ kind: "evict-pod", target: none }), "not-found");
  });
}
