import { expect, test } from "vitest";
import { standing } from "./standing.ts";
import type { KarpenterDeployment } from "./view.ts";

function deployment(replicas: number): KarpenterDeployment {
  return {
    ...{
      namespace: "kube-system",
      name: "karpenter",
      uid: "1",
      resourceVersion: "1",
      version: "1.14.1",
      pods: replicas,
    },
    ...{ replicas, annotations: {}, settings: {}, elsewhere: [], secrets: [] },
  };
}
const alive = { name: "karpenter-1", isAlive: true, idleMs: 0 };
const dead = { ...alive, isAlive: false };
const nowMs = Date.parse("2026-03-01T12:00:00Z");
const held = { pause: "all", migration: "held 1" };

test.each([
  ["Karpenter alone", 2, alive, {}, /^Karpenter runs this cluster\.$/],
  ["Karpenter, the loop held", 2, alive, held, /^Karpenter runs this cluster, and Outrigger is held\.$/],
  ["Karpenter's last seconds", 0, alive, held, /^Karpenter is about to end, .*--back/],
  ["Karpenter without a leader", 2, dead, held, /nobody scales this cluster until it has.*--back/],
  ["neither of them", 0, dead, held, /^Nobody scales this cluster now.*--back/],
  ["a pause that is over", 0, dead, { pause: "all until 2026-03-01T11:59:59Z", migration: "on 1" }, /^Outrigger runs/],
  ["the loop", 0, dead, { migration: "on 1" }, /^Outrigger runs this cluster\.$/],
  ["no migration at all", 0, dead, {}, /^No Karpenter runs in this cluster/],
] as const)("who looks after the cluster is said: %s", (_, replicas, lease, state, words) => {
  expect(standing({ deployments: [deployment(replicas)], karpenter: [lease], state, nowMs })).toMatch(words);
});
