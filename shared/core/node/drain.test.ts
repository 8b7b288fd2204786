import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import { ago, daemonOwner, nowMs, podOf } from "../../../test/support/lifecycle-samples.ts";
import { type Drain, drainAgainAtMs, drain as drainOf, isDrained } from "./drain.ts";

const drain = (pods: readonly Pod[], deadlineMs: number | undefined, atMs: number): Drain =>
  drainOf({ pods, unreadable: [] }, deadlineMs, atMs);
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name);
const critical = { priorityClassName: "system-cluster-critical" };
const held = { annotations: { "karpenter.sh/do-not-disrupt": "true" } };
const tolerant = { spec: { tolerations: [{ operator: "Exists" }] } } as const;

const ordinary = podOf("ordinary", "a");
const daemon = podOf("daemon", "a", { ownerReferences: daemonOwner });
const important = podOf("important", "a", { spec: critical });
const importantDaemon = podOf("important-daemon", "a", { spec: critical, ownerReferences: daemonOwner });

describe("the order of a drain", () => {
  test("ordinary pods, then ordinary daemons, then critical pods, then critical daemons", () => {
    let pods: readonly Pod[] = [importantDaemon, important, daemon, ordinary];
    const order: string[] = [];
    for (let round = 0; round < 4; round++) {
      const { evict, waiting } = drain(pods, undefined, nowMs);
      expect(waiting).toHaveLength(4 - round);
      order.push(...names(evict));
      pods = pods.filter((pod) => !evict.includes(pod));
    }
    expect(order).toEqual(["ordinary", "daemon", "important", "important-daemon"]);
  });

  test("a tier that is still ending keeps the next one waiting", () => {
    const ending = podOf("ending", "a", { deletionTimestamp: ago(-20_000) });
    expect(drain([ending, daemon], undefined, nowMs)).toMatchObject({ evict: [], waiting: [ending, daemon] });
  });

  test("pods that tolerate the taint, finished pods, mirror pods, and pods stuck for a minute are not waited for", () => {
    const mirror = podOf("mirror", "a", {
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "node-a", uid: "u" }],
    });
    const pods = [
      podOf("tolerant", "a", tolerant),
      podOf("done", "a", { status: { phase: "Succeeded" } }),
      mirror,
      podOf("stuck", "a", { deletionTimestamp: ago(60_001) }),
    ];
    expect(drain(pods, undefined, nowMs).waiting).toEqual([]);
  });

  test("a pod that asks not to be disrupted holds the node and is not evicted", () => {
    const pod = podOf("held", "a", held);
    expect(drain([pod], undefined, nowMs)).toMatchObject({ evict: [], held: [pod], waiting: [pod], force: [] });
  });
});

describe("the deadline", () => {
  const deadlineMs = nowMs + 60_000;
  const grace = (seconds: number) => ({ spec: { terminationGracePeriodSeconds: seconds } });

  test("a pod is deleted as early as its own grace needs, from every tier, whatever protects it", () => {
    const long = podOf("long", "a", { ...grace(61), ...held });
    const exact = podOf("exact", "a", grace(60));
    const lateDaemon = podOf("late-daemon", "a", {
      spec: { ...critical, terminationGracePeriodSeconds: 90 },
      ownerReferences: daemonOwner,
    });
    const plan = drain([long, exact, lateDaemon], deadlineMs, nowMs);
    expect(plan.force.map(({ pod, gracePeriodSeconds }) => [pod.metadata.name, gracePeriodSeconds])).toEqual([
      ["long", 60],
      ["late-daemon", 60],
    ]);
    expect(names(plan.evict)).toEqual(["exact"]);
  });

  test("past the deadline the grace is 1 s, never 0", () => {
    const plan = drain([podOf("p", "a")], nowMs - 5_000, nowMs);
    expect(plan.force[0]?.gracePeriodSeconds).toBe(1);
    expect(plan.evict).toEqual([]);
  });

  test("a pod that is ending later than the deadline is shortened, one that ends before is left", () => {
    const late = podOf("late", "a", { deletionTimestamp: formatTime(deadlineMs + 1_000) });
    const soon = podOf("soon", "a", { deletionTimestamp: formatTime(deadlineMs) });
    expect(drain([late, soon], deadlineMs, nowMs).force.map(({ pod }) => pod.metadata.name)).toEqual(["late"]);
  });

  test("without a deadline nothing is forced", () => {
    expect(drain([podOf("p", "a", held)], undefined, nowMs + 10 ** 9).force).toEqual([]);
  });

  test("the next look is when a grace ends or the deadline comes into reach", () => {
    const ending = podOf("ending", "a", { deletionTimestamp: formatTime(nowMs + 20_000) });
    expect(drainAgainAtMs(drain([ending], undefined, nowMs), undefined, nowMs)).toBe(nowMs + 21_000);
    expect(drainAgainAtMs(drain([ordinary], deadlineMs, nowMs), deadlineMs, nowMs)).toBe(nowMs + 31_000);
    expect(drainAgainAtMs(drain([ordinary], undefined, nowMs), undefined, nowMs)).toBeUndefined();
  });
});

describe("pods that cannot be read", () => {
  const unreadable = [{ kind: "Pod", name: "odd", namespace: "default" }] as const;

  test("hold the node up, and nothing is done to them", () => {
    const plan = drainOf({ pods: [], unreadable }, undefined, nowMs);
    expect(plan).toMatchObject({ evict: [], force: [], waiting: [], unreadable });
    expect(isDrained(plan)).toBe(false);
  });

  test("are waited for until the deadline and no longer, and the next look is then", () => {
    const early = drainOf({ pods: [], unreadable }, nowMs + 1, nowMs);
    expect(isDrained(early)).toBe(false);
    expect(drainAgainAtMs(early, nowMs + 1, nowMs)).toBe(nowMs + 1_001);
    expect(isDrained(drainOf({ pods: [], unreadable }, nowMs, nowMs))).toBe(true);
  });
});
