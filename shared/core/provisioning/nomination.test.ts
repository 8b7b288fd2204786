import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import {
  boundPod,
  instanceType,
  launched,
  node,
  nodePool,
  nowMs,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import { planProvisioning } from "./plan.ts";

const guarded = {
  requiredDuringSchedulingIgnoredDuringExecution: [
    { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "noisy" } } },
  ],
};
const guard = pendingPod("guard", { cpu: "1" }, { affinity: { podAntiAffinity: guarded } });

/** The guard waits; its node has been initialised for `seconds`, and a noisy pod came to it before the guard did. */
function planAfter(seconds: number) {
  const pools = { nodePools: [nodePool("default")] };
  const [made] = planProvisioning(snapshotOf({ ...pools, pods: [guard] }), testProvider).claims;
  if (made === undefined) throw new Error("no claim was made");
  const { name } = made.nodeClaim.metadata;
  const claim = launched(made.nodeClaim, instanceType("size-16", 16), "zone-a", "spot");
  const since = { reason: "", message: "", lastTransitionTime: formatTime(nowMs - seconds * 1_000) };
  const conditions = ["Launched", "Registered", "Initialized"].map((type) => ({
    type,
    status: "True" as const,
    ...since,
  }));
  const labels = {
    ...claim.metadata.labels,
    "karpenter.sh/registered": "true",
    "karpenter.sh/initialized": "true",
  };
  const joined = node(
    name,
    { cpu: "15900m", memory: "32Gi", pods: "110" },
    { labels, spec: { providerID: `test:///${name}` } },
  );
  const noisy: Pod = boundPod("noisy", name, { cpu: "1" }, {}, { labels: { app: "noisy" } });
  const status = { ...claim.status, nodeName: name, conditions };
  const cluster = { ...pools, pods: [guard, noisy], nodes: [joined], nodeClaims: [{ ...claim, status }] };
  return planProvisioning(snapshotOf(cluster), testProvider);
}

describe("a pod that a node was made for and that a rule keeps away from it", () => {
  test("is left to the scheduler while the node has just become ready", () => {
    expect(planAfter(20).claims).toEqual([]);
  });

  test("gets another node when it did not come", () => {
    const { claims } = planAfter(21);
    expect(claims.map(({ planned }) => planned.pods.map(({ metadata }) => metadata.name))).toEqual([["guard"]]);
  });
});
