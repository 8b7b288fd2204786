import { describe, expect, test } from "vitest";
import type { Pod, PodStatus } from "#api/core-v1/pod.ts";
import { blockingBudgets, disruptionBudgets, isCurrentlyReschedulable } from "./pod-disruption.ts";
import {
  doNotDisrupt,
  isDisruptable,
  isDrainable,
  isEvictable,
  isProvisionable,
  isReschedulable,
  isWaitingEviction,
} from "./pod-predicates.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");
const unschedulable: PodStatus = {
  phase: "Pending",
  conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }],
};

interface Sketch {
  readonly meta?: Partial<Pod["metadata"]>;
  readonly spec?: Partial<Pod["spec"]>;
  readonly status?: PodStatus;
}
const pod = ({ meta = {}, spec = {}, status = { phase: "Running" } }: Sketch = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", ...meta },
  spec: { containers: [{ name: "c" }], ...spec },
  status,
});
const ownedBy = (apiVersion: string, kind: string): Partial<Pod["metadata"]> => ({
  ownerReferences: [{ apiVersion, kind, name: "o", uid: "u" }],
});
const disruptionToleration = [{ key: "karpenter.sh/disrupted", operator: "Exists" as const }];
const deleted = (secondsAgo: number): Partial<Pod["metadata"]> => ({
  deletionTimestamp: new Date(nowMs - secondsAgo * 1000).toISOString(),
});
const protectedBy = (value: string): Partial<Pod["metadata"]> => ({
  annotations: { "karpenter.sh/do-not-disrupt": value },
});

describe("a pod is provisionable", () => {
  test.each<[string, Sketch, boolean]>([
    ["when kube-scheduler found no node", { status: unschedulable }, true],
    ["not before it tried", { status: { phase: "Pending" } }, false],
    [
      "not while a scheduling gate holds it",
      {
        status: {
          phase: "Pending",
          conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }],
        },
      },
      false,
    ],
    ["not once it is bound", { status: unschedulable, spec: { nodeName: "n" } }, false],
    ["not while others are preempted for it", { status: { ...unschedulable, nominatedNodeName: "n" } }, false],
    ["not as a daemon", { status: unschedulable, meta: ownedBy("apps/v1", "DaemonSet") }, false],
    ["not as a mirror of a static pod", { status: unschedulable, meta: ownedBy("v1", "Node") }, false],
    ["as part of a StatefulSet", { status: unschedulable, meta: ownedBy("apps/v1", "StatefulSet") }, true],
  ])("%s", (_, sketch, answer) => {
    expect(isProvisionable(pod(sketch))).toBe(answer);
  });
});

describe("a pod comes back elsewhere", () => {
  test.each<[string, Sketch, boolean]>([
    ["when it runs", {}, true],
    ["not when it is done", { status: { phase: "Succeeded" } }, false],
    ["not when it is going", { meta: deleted(1) }, false],
    [
      "when it is going and belongs to a StatefulSet",
      { meta: { ...deleted(1), ...ownedBy("apps/v1", "StatefulSet") } },
      true,
    ],
    ["not as a daemon", { meta: ownedBy("apps/v1", "DaemonSet") }, false],
  ])("%s", (_, sketch, answer) => {
    expect(isReschedulable(pod(sketch))).toBe(answer);
  });
});

describe("draining", () => {
  test("a pod that tolerates the disruption taint is left alone", () => {
    const tolerant = pod({ spec: { tolerations: disruptionToleration } });
    expect(isEvictable(tolerant, nowMs)).toBe(false);
    expect(isDrainable(tolerant, nowMs)).toBe(false);
  });

  test("a pod that asks not to be disrupted is not evicted and holds the drain up", () => {
    const protectedPod = pod({ meta: protectedBy("true") });
    expect(isEvictable(protectedPod, nowMs)).toBe(false);
    expect(isDrainable(protectedPod, nowMs)).toBe(true);
    expect(isWaitingEviction(protectedPod, nowMs)).toBe(true);
  });

  test("a pod that is stuck for more than a minute holds nobody up", () => {
    expect(isDrainable(pod({ meta: deleted(60) }), nowMs)).toBe(true);
    expect(isDrainable(pod({ meta: deleted(61) }), nowMs)).toBe(false);
  });

  test("a pod that is done waits for nothing", () => {
    expect(isWaitingEviction(pod({ status: { phase: "Failed" } }), nowMs)).toBe(false);
  });
});

describe("do-not-disrupt", () => {
  const started = { phase: "Running" as const, startTime: "2026-01-01T11:50:00Z" };
  test.each<[string, string, PodStatus, ReturnType<typeof doNotDisrupt>]>([
    ["true protects for good", "true", started, { kind: "active" }],
    ["a duration protects from the start on", "15m", started, { kind: "active", untilMs: nowMs + 5 * 60_000 }],
    ["and ends", "10m", started, { kind: "elapsed", sinceMs: nowMs }],
    ["a pod that has not started is protected", "1s", { phase: "Pending" }, { kind: "active" }],
    ["false protects nothing and is named", "false", started, { kind: "invalid", value: "false" }],
    ["neither does a negative duration", "-5m", started, { kind: "invalid", value: "-5m" }],
    ["nor zero", "0s", started, { kind: "invalid", value: "0s" }],
  ])("%s", (_, value, status, answer) => {
    const annotated = pod({ meta: protectedBy(value), status });
    expect(doNotDisrupt(annotated, nowMs)).toEqual(answer);
    expect(isDisruptable(annotated, nowMs)).toBe(answer.kind !== "active");
  });
});

describe("PodDisruptionBudgets", () => {
  const budget = (name: string, spec: object, disruptionsAllowed = 1) => ({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { selector: { matchLabels: { app: "a" } }, ...spec },
    status: { disruptionsAllowed },
  });
  const app = pod({ meta: { labels: { app: "a" } } });
  const names = (mode: "zero-disruptions" | "fully-blocking", target: Pod, ...budgets: ReturnType<typeof budget>[]) =>
    blockingBudgets(target, disruptionBudgets(budgets), mode, nowMs).map(({ metadata }) => metadata.name);

  test("a budget without allowance blocks now", () => {
    expect(names("zero-disruptions", app, budget("b", { minAvailable: 1 }, 0))).toEqual(["b"]);
    expect(names("zero-disruptions", app, budget("b", { minAvailable: 1 }, 1))).toEqual([]);
  });

  test.each([
    [{ maxUnavailable: 0 }, true],
    [{ maxUnavailable: "0%" }, true],
    [{ minAvailable: "100%" }, true],
    [{ maxUnavailable: 1 }, false],
    [{ minAvailable: 5 }, false],
  ])("%j blocks for good: %s", (spec, blocks) => {
    expect(names("fully-blocking", app, budget("b", spec, 0))).toEqual(blocks ? ["b"] : []);
    expect(isCurrentlyReschedulable(app, disruptionBudgets([budget("b", spec, 0)]), nowMs)).toBe(!blocks);
  });

  test("two budgets on one pod block whatever they allow", () => {
    expect(names("fully-blocking", app, budget("a", {}, 5), budget("b", {}, 5))).toEqual(["a", "b"]);
  });

  test("an unhealthy pod may go when the budget says so", () => {
    const sick = pod({
      meta: { labels: { app: "a" } },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "False" }] },
    });
    expect(names("zero-disruptions", sick, budget("b", { unhealthyPodEvictionPolicy: "AlwaysAllow" }, 0))).toEqual([]);
    expect(names("zero-disruptions", sick, budget("b", {}, 0))).toEqual(["b"]);
  });

  test("a pod that is not evictable anyway is blocked by none", () => {
    const tolerant = pod({ meta: { labels: { app: "a" } }, spec: { tolerations: disruptionToleration } });
    expect(names("zero-disruptions", tolerant, budget("b", {}, 0))).toEqual([]);
  });

  test("budgets of other namespaces and other labels do not count", () => {
    expect(names("zero-disruptions", pod({ meta: { labels: { app: "z" } } }), budget("b", {}, 0))).toEqual([]);
    expect(
      names("zero-disruptions", pod({ meta: { namespace: "x", labels: { app: "a" } } }), budget("b", {}, 0)),
    ).toEqual([]);
  });
});
