import { describe, expect, test } from "vitest";
import type { Decision } from "#core/decision.ts";
import {
  boundPod,
  node,
  nodePool,
  pendingPod,
  pendingPods,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import { provisioning } from "./provisioning.ts";

const decide = (...cluster: Parameters<typeof snapshotOf>): Decision =>
  provisioning(testProvider).decide(snapshotOf(...cluster));

test("a quiet cluster makes no commands and no reasons", () => {
  expect(decide({ nodePools: [nodePool("default")] })).toEqual({ commands: [], reasons: [] });
});

test("without demand no instance types are asked for, and pools that are not supported are still named", () => {
  const snapshot = snapshotOf({
    nodePools: [nodePool("auto", { group: "other.dev" }), nodePool("off", { ready: false })],
  });
  const silent = { ...testProvider, instanceTypes: () => ({ kind: "unknown" as const, message: "asked" }) };
  const { reasons } = provisioning(silent).decide(snapshot);
  expect(reasons.map(({ about, code }) => [about.name, code])).toEqual([["auto", "not-supported"]]);
});

describe("reasons", () => {
  test("a new claim says for whom it is, what was considered, and why this choice", () => {
    const { commands, reasons } = decide({ pods: pendingPods(3, "p", { cpu: "2" }), nodePools: [nodePool("default")] });
    const [claim, ...pods] = reasons;
    expect(commands).toHaveLength(1);
    expect(claim?.code).toBe("claim-created");
    expect(claim?.message).toBe(
      "for 3 pods: 4 of 7 instance types meet the requirements and have room; the cheapest is size-8 spot in zone-a at " +
        "$0.1600 an hour, the next is size-16 spot in zone-a at $0.3200 an hour",
    );
    expect(claim?.data).toMatchObject({
      nodePool: "default",
      pods: ["default/p-00000", "default/p-00001", "default/p-00002"],
      typesOffered: 7,
      typesConsidered: 4,
      cheapestType: "size-8",
      zone: "zone-a",
      capacityType: "spot",
      pricePerHour: 0.16,
      runnerUp: "size-16",
    });
    expect(pods.map(({ code, event }) => [code, event?.reason])).toEqual([
      ["pod-placed-on-new-claim", "Nominated"],
      ["pod-placed-on-new-claim", "Nominated"],
      ["pod-placed-on-new-claim", "Nominated"],
    ]);
  });

  test("a pod with room on a node is told which", () => {
    const { commands, reasons } = decide({
      pods: [pendingPod("p", { cpu: "1" })],
      nodes: [node("a", { cpu: "2", pods: "9" })],
    });
    expect(commands).toEqual([]);
    expect(reasons.map(({ code, message }) => [code, message])).toEqual([
      ["pod-placed-on-node", "should schedule on node a"],
    ]);
  });

  test("a pod that failed gets an event, one that still runs does not", () => {
    const going = node("old", { cpu: "4", pods: "9" }, { meta: { deletionTimestamp: "2026-01-01T11:59:00Z" } });
    const pods = [pendingPod("waiting", { cpu: "999" }), boundPod("running", "old", { cpu: "998" })];
    const { reasons } = decide({ pods, nodes: [going], nodePools: [nodePool("default")] });
    expect(reasons.map(({ about, code, event }) => [about.name, code, event?.reason])).toEqual([
      ["waiting", "pod-unschedulable", "FailedScheduling"],
      ["running", "pod-unschedulable", undefined],
    ]);
  });

  test("kinds that are not acted on yet are named once each", () => {
    const object = (kind: string, name: string) => ({ apiVersion: "karpenter.sh/v1alpha1", kind, metadata: { name } });
    const { commands, reasons } = decide({
      unsupported: [object("NodeOverlay", "cheap"), object("CapacityBuffer", "spare")],
    });
    expect(commands).toEqual([]);
    expect(reasons.map(({ about, code, event }) => [about.kind, about.name, code, event?.type])).toEqual([
      ["NodeOverlay", "cheap", "not-supported", "Warning"],
      ["CapacityBuffer", "spare", "not-supported", "Warning"],
    ]);
  });
});
