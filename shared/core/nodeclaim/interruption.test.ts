import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { ago, claimOf, nodeClass, nodeOf, nowMs, poolOf, statusOf } from "../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import type { InterruptionNotice } from "../interruption-notice.ts";
import { endsWaiting, interrupt, unrecordedNotices } from "./interruption.ts";

const spotLabels = {
  "node.kubernetes.io/instance-type": "small",
  "topology.kubernetes.io/zone": "zone-a",
  "karpenter.sh/capacity-type": "spot",
};
const spotClaim = (change: Parameters<typeof claimOf>[1] = {}) =>
  claimOf("a", { status: statusOf("a", "initialized"), labels: spotLabels, ...change });

function decided(claims: readonly NodeClaim[], notices: readonly InterruptionNotice[]) {
  return interrupt({ nodeClaims: claims, nodes: [nodeOf("a")], nodePools: [], state: {}, nowMs, nodeClass, notices });
}

const warning: InterruptionNotice = { kind: "spot-interruption", instanceId: "i-a", atMs: nowMs - 3_000 };
const stopping: InterruptionNotice = { kind: "stopping", instanceId: "i-a" };
const terminated: InterruptionNotice = { kind: "terminated", instanceId: "i-a" };

describe("a spot warning", () => {
  test("makes the offering unavailable, marks the claim with the time of the warning, and deletes it by UID", () => {
    const { commands, reasons } = decided([spotClaim()], [warning]);
    expect(commands).toEqual([
      { kind: "patch-state", data: { "unavailable.spot.small.zone-a": `${nowMs + 180_000} 180000` } },
      {
        kind: "patch-metadata",
        target: expect.objectContaining({ uid: "uid-a" }),
        annotations: { "outrigger.dev/interrupted-at": ago(3_000) },
      },
      { kind: "delete-object", target: { kind: "NodeClaim", name: "a", uid: "uid-a" } },
    ]);
    expect(reasons.map(({ about, event }) => `${about.kind} ${event?.reason}`)).toEqual([
      "NodeClaim SpotInterrupted",
      "Node SpotInterrupted",
      "NodeClaim TerminatingOnInterruption",
      "Node TerminatingOnInterruption",
    ]);
  });

  test("an on-demand claim's offering stays available", () => {
    const claim = spotClaim({ labels: { ...spotLabels, "karpenter.sh/capacity-type": "on-demand" } });
    expect(decided([claim], [warning]).commands.map(({ kind }) => kind)).toEqual(["patch-metadata", "delete-object"]);
  });

  test("a warning from the future counts from now", () => {
    const { commands } = decided([spotClaim()], [{ ...warning, atMs: nowMs + 60_000 }]);
    expect(commands[1]).toMatchObject({ annotations: { "outrigger.dev/interrupted-at": ago(0) } });
  });
});

describe("the end of a machine", () => {
  test("counts against its pool when its node never joined, and not when it had", () => {
    const nodePool = poolOf();
    const uid = nodePool.metadata.uid ?? "";
    const ownerReferences = [{ apiVersion: "karpenter.sh/v1", kind: "NodePool", name: nodePool.metadata.name, uid }];
    const stateKeys = (phase: "launched" | "registered"): readonly string[] => {
      const made = claimOf("a", { status: statusOf("a", phase) });
      const claim = { ...made, metadata: { ...made.metadata, ownerReferences } };
      const input = { nodeClaims: [claim], nodes: [], nodePools: [nodePool], state: {}, nowMs, nodeClass };
      const { commands } = interrupt({ ...input, notices: [terminated] });
      expect(commands).toContainEqual(expect.objectContaining({ kind: "delete-object" }));
      return commands.flatMap((command) => (command.kind === "patch-state" ? Object.keys(command.data) : []));
    };
    expect(stateKeys("launched")).toEqual([`registration.${uid}`]);
    expect(stateKeys("registered")).toEqual([]);
  });
});

describe("other notices", () => {
  test.each([
    ["stopping", "InstanceStopping"],
    ["terminated", "InstanceTerminating"],
    ["scheduled-change", "InstanceUnhealthy"],
    ["capacity-reservation-interruption", "CapacityReservationInstanceInterrupted"],
  ] as const)("%s deletes the claim and says %s", (kind, event) => {
    const { commands, reasons } = decided([spotClaim()], [{ kind, instanceId: "i-a" }]);
    expect(commands.map((command) => command.kind)).toEqual(["delete-object"]);
    expect(reasons[0]?.event?.reason).toBe(event);
  });

  test("a rebalance recommendation is an event and nothing else", () => {
    const { commands, reasons } = decided([spotClaim()], [{ kind: "rebalance", instanceId: "i-a" }]);
    expect(commands).toEqual([]);
    expect(reasons.map(({ event }) => event)).toEqual(
      Array.from({ length: 2 }, () => ({ type: "Normal", reason: "SpotRebalanceRecommendation" })),
    );
  });

  test("a foreign instance, and a claim of another provider, are answered with nothing", () => {
    expect(decided([spotClaim()], [{ ...warning, instanceId: "i-foreign" }])).toEqual({ commands: [], reasons: [] });
    const foreign = spotClaim({ spec: { nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "x" } } });
    expect(decided([foreign], [warning])).toEqual({ commands: [], reasons: [] });
  });
});

describe("repeated and disordered messages", () => {
  const orders = [
    [warning, stopping, terminated],
    [warning, terminated, stopping],
    [stopping, warning, terminated],
    [stopping, terminated, warning],
    [terminated, warning, stopping],
    [terminated, stopping, warning],
  ];

  test.each(orders.map((order) => [order.map(({ kind }) => kind).join(", "), order] as const))(
    "%s, each twice, one at a time: one deletion",
    async (_, order) => {
      const world = new SmallWorld(nowMs, { nodeClaims: [spotClaim()], nodes: [nodeOf("a")] });
      let deletions = 0;
      for (const notice of order.flatMap((one) => [one, one])) {
        const { cluster } = await world.snapshot();
        const { commands } = interrupt({ ...cluster, nowMs, nodeClass, notices: [notice] });
        await world.act("interruption", commands);
        deletions += commands.filter(({ kind }) => kind === "delete-object").length;
      }
      expect(deletions).toBe(1);
    },
  );

  test.each(orders.map((order) => [order.map(({ kind }) => kind).join(", "), order] as const))(
    "%s in one batch: handled as the spot warning that it is",
    (_, order) => {
      const kinds = decided([spotClaim()], [...order, ...order]).commands.map(({ kind }) => kind);
      expect(kinds).toEqual(["patch-state", "patch-metadata", "delete-object"]);
    },
  );
});

describe("a message about an instance that no claim names", () => {
  const launchingClaim = (change: Parameters<typeof claimOf>[1] = {}) =>
    claimOf("b", {
      annotations: { "outrigger.dev/launch-attempt": "1", "outrigger.dev/launch-attempt-time": ago(5_000) },
      ...change,
    });
  const isRemembered = (claims: readonly NodeClaim[], notice: InterruptionNotice) =>
    unrecordedNotices({ nodeClaims: claims, nowMs, nodeClass, notices: [notice] }).length > 0;
  const unknown: InterruptionNotice = { kind: "spot-interruption", instanceId: "i-b", atMs: nowMs - 3_000 };

  test("is remembered while a claim of ours may be about to record it", () => {
    expect(isRemembered([launchingClaim()], unknown)).toBe(true);
    expect(isRemembered([launchingClaim()], { ...unknown, kind: "terminated" })).toBe(true);
  });

  test("is done with when no claim is launching, after a minute, and when it asks for nothing", () => {
    expect(isRemembered([spotClaim()], unknown)).toBe(false);
    expect(isRemembered([claimOf("b")], unknown)).toBe(false);
    expect(isRemembered([launchingClaim()], { ...unknown, atMs: nowMs - 60_001 })).toBe(false);
    expect(isRemembered([launchingClaim()], { ...unknown, kind: "rebalance" })).toBe(false);
    const leaving = launchingClaim({ deletionTimestamp: ago(1_000) });
    expect(isRemembered([leaving], unknown)).toBe(false);
  });

  test("is done with when its claim has recorded it, whatever else is launching", () => {
    expect(isRemembered([launchingClaim(), spotClaim()], warning)).toBe(false);
  });
});

test("the end of a machine is news to a claim that is on its way out, and its warning is not", () => {
  const ends = (notice: InterruptionNotice, deleting: boolean) =>
    endsWaiting({
      ...{
        nodeClaims: [spotClaim(deleting ? { deletionTimestamp: ago(1_000) } : {})],
        nodes: [],
        state: {},
        nowMs,
        nodeClass,
      },
      notices: [notice],
    });
  expect([ends(terminated, true), ends(stopping, true)]).toEqual([true, true]);
  expect([ends(warning, true), ends(terminated, false)]).toEqual([false, false]);
});
