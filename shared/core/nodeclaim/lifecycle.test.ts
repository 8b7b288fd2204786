import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { formatTime } from "#api/time.ts";
import { launchedClaim } from "../../../test/support/joining-world.ts";
import {
  claimOf,
  minuteMs,
  nodeOf,
  nowMs,
  provider,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import type { ClusterView } from "../snapshot.ts";
import { lifecycle } from "./lifecycle.ts";

const stage = lifecycle(provider);

describe("staying awake for a joining node", () => {
  const againAfterMs = (claim: NodeClaim, cluster: Partial<ClusterView> = {}) => {
    const { againAtMs } = stage.decide(snapshotOf({ nodeClaims: [claim], ...cluster }));
    return againAtMs === undefined ? undefined : againAtMs - nowMs;
  };

  test("for five minutes after the launch, until it is initialized", () => {
    const launchedAgo = (ms: number) => claimOf("a", { status: statusOf("a", "launched", nowMs - ms) });
    expect(againAfterMs(launchedAgo(minuteMs))).toBe(20_000);
    expect(againAfterMs(launchedAgo(5 * minuteMs))).toBeGreaterThan(minuteMs);
    const registered = claimOf("a", { status: statusOf("a", "registered", nowMs - minuteMs) });
    expect(againAfterMs(registered, { nodes: [nodeOf("a", { ready: "False" })] })).toBe(20_000);
    expect(againAfterMs(registered, { nodes: [nodeOf("a")] })).toBeUndefined();
  });
});

test("a claim expires at its time, and during a pause of either kind not before its end", () => {
  const old = launchedClaim({
    finalizers: ["karpenter.sh/termination"],
    creationTimestamp: formatTime(nowMs - 2 * minuteMs),
  });
  const claim = { ...old, spec: { ...old.spec, expireAfter: "1m" } };
  const decisionWith = (state: ClusterView["state"]) => stage.decide(snapshotOf({ nodeClaims: [claim], state }));
  const isDeleted = (state: ClusterView["state"]) =>
    decisionWith(state).commands.some(({ kind }) => kind === "delete-object");
  expect(isDeleted({})).toBe(true);
  expect(isDeleted({ pause: "voluntary" })).toBe(false);
  expect(isDeleted({ pause: `voluntary until ${formatTime(nowMs - minuteMs)}` })).toBe(true);
  // Its time is over: asking for it again and again would keep an invocation awake.
  expect(decisionWith({ pause: "voluntary" }).againAtMs ?? nowMs + 1).toBeGreaterThan(nowMs);
});

test("a claim without the finalizer gets it before anything else", () => {
  const { commands } = stage.decide(snapshotOf({ nodeClaims: [launchedClaim({ finalizers: ["other"] })] }));
  expect(commands).toEqual([
    {
      kind: "patch-metadata",
      target: expect.objectContaining({ resourceVersion: "1" }),
      finalizers: ["other", "karpenter.sh/termination"],
    },
  ]);
});
