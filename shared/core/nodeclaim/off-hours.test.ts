import { describe, expect, test } from "vitest";
import type { OffHoursWindow } from "#api/off-hours.ts";
import {
  claimOf,
  nodeOf,
  nowMs,
  poolOf,
  provider,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import type { Decision } from "../decision.ts";
import type { ClusterView } from "../snapshot.ts";
import { offHours } from "./off-hours.ts";

const stage = offHours(provider);
/** Open now: it is noon. */
const noon: OffHoursWindow = { schedule: "0 11 * * *", duration: "2h" };
const labels = (pool: string) => ({ labels: { "karpenter.sh/nodepool": pool } });
const held = { annotations: { "karpenter.sh/do-not-disrupt": "true" } };

function decided(windows: readonly OffHoursWindow[], cluster: Partial<ClusterView>, atMs = nowMs): Decision {
  const snapshot = snapshotOf({ nodePools: [poolOf("pool"), poolOf("other")], ...cluster }, { atMs });
  return stage.decide({ ...snapshot, settings: { ...snapshot.settings, offHours: windows } });
}

const deleted = ({ commands }: Decision) =>
  commands.map((command) => (command.kind === "delete-object" ? command.target : command.kind));
const messages = ({ reasons }: Decision) => reasons.map(({ about, message }) => `${about.name}: ${message}`);

const up = claimOf("up", { ...labels("pool"), status: statusOf("up", "initialized") });
const starting = claimOf("starting", labels("pool"));

describe("while a window is open", () => {
  test("claims of its pools are deleted by UID, those in flight too, and node and claim say why", () => {
    const decision = decided([noon], { nodeClaims: [starting, up], nodes: [nodeOf("up")] });
    expect(deleted(decision)).toEqual([
      { kind: "NodeClaim", name: "starting", uid: "uid-starting" },
      { kind: "NodeClaim", name: "up", uid: "uid-up" },
    ]);
    const why = "NodePool pool rests until 13:00 UTC";
    expect(messages(decision)).toEqual([`starting: ${why}`, `up: ${why}`, `node-up: ${why}`]);
    expect(decision.reasons.map(({ code, data, event }) => [code, data?.cause ?? data?.reason, event?.reason])).toEqual(
      [
        ["claim-deleted", "off_hours", "DisruptionTerminating"],
        ["claim-deleted", "off_hours", "DisruptionTerminating"],
        ["node-disrupted", "OffHours", "DisruptionTerminating"],
      ],
    );
    expect(decision.againAtMs).toBe(nowMs + 60 * 60_000);
  });

  test("claims of other pools, of other clouds, and those that go already are left alone", () => {
    const foreign = claimOf("foreign", {
      ...labels("pool"),
      spec: { nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" } },
    });
    const others = [
      claimOf("elsewhere", labels("other")),
      foreign,
      claimOf("going", { ...labels("pool"), deletionTimestamp: "2026-11-30T11:59:00Z" }),
    ];
    expect(deleted(decided([{ ...noon, nodePools: ["pool"] }], { nodeClaims: others }))).toEqual([]);
  });

  test.each([
    ["claim", { nodeClaims: [claimOf("up", { ...labels("pool"), ...held, status: statusOf("up", "initialized") })] }],
    ["node", { nodeClaims: [up], nodes: [nodeOf("up", held)] }],
  ])("one whose %s carries do-not-disrupt stays, and it is said", (_, cluster) => {
    const decision = decided([noon], cluster);
    expect(deleted(decision)).toEqual([]);
    expect(messages(decision)).toEqual([
      "up: NodePool pool rests until 13:00 UTC; this node stays: it carries the annotation karpenter.sh/do-not-disrupt=true",
    ]);
  });
});

describe("outside", () => {
  test("nothing goes, and the stage asks again when the window opens", () => {
    const decision = decided([noon], { nodeClaims: [up] }, Date.parse("2026-11-30T13:00:00Z"));
    expect(deleted(decision)).toEqual([]);
    expect(decision.againAtMs).toBe(Date.parse("2026-12-01T11:00:00Z"));
  });

  test("without windows there is nothing to say", () => {
    expect(decided([], { nodeClaims: [up] })).toEqual({ commands: [], reasons: [] });
  });
});

test("a window that names a NodePool which does not exist is told so, not one that cannot be read", () => {
  const decision = decided([{ ...noon, nodePools: ["poool", "broken", "pool"] }], {
    problems: [{ ref: { kind: "NodePool", name: "broken" }, field: "spec", message: "is wrong" }],
  });
  expect(messages(decision)).toEqual([
    "poool: the setting offHours names it, and there is no such NodePool that Outrigger looks after",
  ]);
});
