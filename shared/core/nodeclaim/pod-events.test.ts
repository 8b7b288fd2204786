import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { formatTime } from "#api/time.ts";
import { joiningStages, ticked } from "../../../test/support/joining-world.ts";
import {
  ago,
  claimOf,
  condition,
  daemonOwner,
  minuteMs,
  nodeOf,
  nowMs,
  podOf,
  poolOf,
  provider,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import type { ClusterView } from "../snapshot.ts";
import { lifecycle } from "./lifecycle.ts";

const stage = lifecycle(provider);

describe("consolidatable and pod events", () => {
  const claim = (change: Parameters<typeof claimOf>[1] = {}) =>
    claimOf("a", { status: statusOf("a", "initialized", nowMs - 10 * minuteMs), ...change });
  const decide = (claims: NodeClaim, cluster: Partial<ClusterView>) =>
    stage.decide(snapshotOf({ nodeClaims: [claims], nodes: [nodeOf("a")], nodePools: [poolOf()], ...cluster }));
  const written = (decision: ReturnType<typeof decide>) => {
    const patch = decision.commands.find((command) => command.kind === "patch-status");
    const conditions = patch?.status.conditions as readonly { type: string; status: string }[] | undefined;
    return {
      consolidatable: conditions?.find(({ type }) => type === "Consolidatable")?.status,
      at: patch?.status.lastPodEventTime,
    };
  };
  const withWindow = (consolidateAfter: string) => ({
    nodePools: [poolOf("pool", { disruption: { consolidateAfter } })],
  });

  test("0s: as soon as it is initialized; Never: not at all", () => {
    expect(written(decide(claim(), {})).consolidatable).toBe("True");
    expect(decide(claim(), withWindow("Never")).commands).toEqual([]);
  });

  test("a window counts from initialization, and the stage asks to be woken at its end", () => {
    const decision = decide(claim(), withWindow("15m"));
    expect(decision.commands).toEqual([]);
    expect(decision.againAtMs).toBe(nowMs + 5 * minuteMs);
    expect(written(decide(claim(), withWindow("10m"))).consolidatable).toBe("True");
  });

  test("a pod that came counts from when it was bound, and closes an open condition", () => {
    const bound = { conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: ago(20_000) }] } as const;
    const base = statusOf("a", "initialized");
    const open = claim({
      status: { ...base, conditions: [...(base.conditions ?? []), condition("Consolidatable", "True")] },
    });
    const decision = decide(open, { pods: [podOf("p", "a", { status: bound })], ...withWindow("1m") });
    expect(written(decision)).toEqual({ consolidatable: undefined, at: ago(20_000) });
    expect(decision.againAtMs).toBe(nowMs + 40_000);
    expect(decision.commands.map(({ kind }) => kind)).toEqual(["patch-status", "patch-metadata"]);
  });

  test("a claim taken over from Karpenter keeps its later pod event", () => {
    const bound = {
      conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: ago(5 * minuteMs) }],
    } as const;
    const status = { ...statusOf("a", "initialized"), lastPodEventTime: ago(3 * minuteMs) };
    const decision = decide(claim({ status }), { pods: [podOf("p", "a", { status: bound })], ...withWindow("4m") });
    expect(decision.commands.map(({ kind }) => kind)).toEqual(["patch-metadata"]);
    expect(decision.againAtMs).toBe(nowMs + minuteMs);
  });

  test("a pod that left counts from now; the same pods seen again are no event", async () => {
    const world = new SmallWorld(nowMs, {
      nodeClaims: [claim()],
      nodes: [nodeOf("a")],
      pods: [podOf("p", "a")],
      ...withWindow("1h"),
    });
    await world.tick(joiningStages);
    world.atMs += minuteMs;
    await world.tick(joiningStages);
    expect(world.steps).toEqual([]);
    world.remove("Pod", "default/p");
    const { claim: end } = await ticked(world);
    expect(end?.status?.lastPodEventTime).toBe(formatTime(nowMs + minuteMs));
    expect(end?.metadata.annotations?.["outrigger.dev/pod-digest"]).toBeUndefined();
  });

  test("a pod of a DaemonSet is no event, a pod that begins to end is one", async () => {
    const world = new SmallWorld(nowMs, {
      nodeClaims: [claim()],
      nodes: [nodeOf("a")],
      pods: [podOf("p", "a")],
      ...withWindow("1h"),
    });
    await world.tick(joiningStages);
    world.put(podOf("agent", "a", { ownerReferences: daemonOwner }));
    await world.tick(joiningStages);
    expect(world.steps).toEqual([]);
    world.put(podOf("p", "a", { deletionTimestamp: ago(0) }));
    world.atMs += minuteMs;
    expect((await ticked(world)).claim?.status?.lastPodEventTime).toBe(formatTime(nowMs + minuteMs));
  });
});
