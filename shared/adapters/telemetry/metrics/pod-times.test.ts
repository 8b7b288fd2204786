import { expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { SmallWorld } from "../../../../test/support/small-world.ts";
import { PodTimes } from "./pod-times.ts";

const startMs = Date.UTC(2026, 10, 3, 9);
const at = (seconds: number): string => new Date(startMs + seconds * 1_000).toISOString();

/** A pod that was made at 0, has a node from `bound` and is ready from `ready`, seconds; absent: not yet. */
function pod(bound?: number, ready?: number): Pod {
  const conditions = [
    ...(bound === undefined ? [] : [{ type: "PodScheduled", status: "True", lastTransitionTime: at(bound) }]),
    ...(ready === undefined ? [] : [{ type: "Ready", status: "True", lastTransitionTime: at(ready) }]),
  ];
  return {
    metadata: { name: "p", namespace: "n", uid: "u", creationTimestamp: at(0) },
    spec: { containers: [], ...(bound === undefined ? {} : { nodeName: "node" }) },
    status: { phase: ready === undefined ? "Pending" : "Running", conditions },
  } as unknown as Pod;
}

async function look(seconds: number, seen: Pod, isPlaced = false): Promise<TickReport> {
  const snapshot = await new SmallWorld(startMs + seconds * 1_000, {}).snapshot();
  const about = { kind: "Pod", name: "p", namespace: "n" } as const;
  const reasons = isPlaced ? [{ about, code: "pod-placed-on-new-claim", message: "" } as const] : [];
  return {
    snapshot: { ...snapshot, cluster: { ...snapshot.cluster, pods: [seen] } },
    decisions: [{ stage: "provisioning", decision: { commands: [], reasons } }],
    ...{ steps: [], changed: false, phases: [] },
  };
}

test("a pod is timed once for its node and once for its start, from its creation and from the decision", async () => {
  const times = new PodTimes();
  expect(times.samples(await look(5, pod(), true))).toEqual([]);
  expect(times.samples(await look(40, pod(35)))).toEqual([
    { name: "karpenter_pods_bound_duration_seconds", labels: {}, value: 35 },
    { name: "karpenter_pods_provisioning_bound_duration_seconds", labels: {}, value: 30 },
  ]);
  expect(times.samples(await look(50, pod(35, 45)))).toEqual([
    { name: "karpenter_pods_startup_duration_seconds", labels: {}, value: 45 },
    { name: "karpenter_pods_provisioning_startup_duration_seconds", labels: {}, value: 40 },
  ]);
  expect(times.samples(await look(60, pod(35, 45)))).toEqual([]);
});

test("what started while another invocation looked is not counted again", async () => {
  const times = new PodTimes();
  times.samples(await look(5, pod()));
  times.forget();
  expect(times.samples(await look(60, pod(35, 45)))).toEqual([]);
});
