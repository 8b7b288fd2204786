import { expect } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { node, pod } from "../cluster-objects.ts";
import type { ClusterUnderTest } from "../cluster-under-test.ts";
import { contractTest, type MakeCluster, stored } from "./cases.ts";

async function theirPod({ admin, prefix }: ClusterUnderTest): Promise<Pod> {
  return stored(await admin.get("Pod", `${prefix}-p`, "default")) as Pod;
}

export function schedulingCases(makeCluster: MakeCluster): void {
  contractTest(makeCluster, "a pod that fits nowhere is marked Unschedulable, with an event", async (it) => {
    stored(await it.admin.create(pod(`${it.prefix}-p`, { cpu: "100" })));
    await it.eventually("the pod is unschedulable", async () =>
      ((await theirPod(it)).status?.conditions ?? []).some(
        ({ type, status, reason }) => type === "PodScheduled" && status === "False" && reason === "Unschedulable",
      ),
    );
    await it.eventually("an event says so", async () => {
      const query = {
        namespace: "default",
        fieldSelector: `involvedObject.name=${it.prefix}-p,reason=FailedScheduling`,
      };
      return stored(await it.admin.list("Event", query)).items.length > 0;
    });
    const message = (await theirPod(it)).status?.conditions?.[0]?.message ?? "";
    expect(message).toMatch(/^(0\/\d+ nodes are available: |no nodes available)/);
  });

  contractTest(makeCluster, "a pod waits until a node that fits is Ready", async (it) => {
    const selected = { ...pod(`${it.prefix}-p`), spec: { ...specOf(it.prefix) } };
    stored(await it.admin.create(selected));
    await it.eventually(
      "the pod is unschedulable",
      async () => ((await theirPod(it)).status?.conditions ?? []).length > 0,
    );
    stored(await it.admin.create(node(`${it.prefix}-n`)));
    await it.eventually("the pod is bound", async () => (await theirPod(it)).spec.nodeName === `${it.prefix}-n`);
    const scheduled = (await theirPod(it)).status?.conditions?.find(({ type }) => type === "PodScheduled");
    expect(scheduled?.status).toBe("True");
  });

  contractTest(makeCluster, "a gated pod says so and is not scheduled", async (it) => {
    const gated = {
      ...pod(`${it.prefix}-p`),
      spec: { ...specOf(it.prefix), schedulingGates: [{ name: "example.com/wait" }] },
    };
    stored(await it.admin.create(gated));
    const condition = { type: "PodScheduled", status: "False", reason: "SchedulingGated" };
    expect((await theirPod(it)).status?.conditions).toEqual([expect.objectContaining(condition)]);
  });

  contractTest(makeCluster, "scaling a Deployment through its subresource makes and removes pods", async (it) => {
    const { admin, prefix, eventually } = it;
    const labels = { app: `${prefix}-d` };
    const template = { metadata: { labels }, spec: specOf("nowhere") };
    const metadata = { name: `${prefix}-d`, namespace: "default" };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    stored(await admin.create({ apiVersion: "apps/v1", kind: "Deployment", metadata, spec }));
    const pods = async () => stored(await admin.list("Pod", { labelSelector: `app=${prefix}-d` })).items;
    await eventually("one pod", async () => (await pods()).length === 1);
    stored(await admin.patch("Deployment", `${prefix}-d`, "default", { spec: { replicas: 4 } }, "scale"));
    await eventually("four pods", async () => (await pods()).length === 4);
    stored(await admin.patch("Deployment", `${prefix}-d`, "default", { spec: { replicas: 0 } }, "scale"));
    await eventually("no pod", async () => (await pods()).length === 0);
  });
}

function specOf(prefix: string): object {
  return {
    nodeSelector: { "kubernetes.io/hostname": `${prefix}-n` },
    containers: [{ name: "main", image: "none", resources: { requests: { cpu: "1" } } }],
  };
}
