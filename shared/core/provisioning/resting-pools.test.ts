import { expect, test } from "vitest";
import type { OffHoursWindow } from "#api/off-hours.ts";
import { nodePool, pendingPod, sizes, snapshotOf, testProvider } from "../../../test/support/scheduling-objects.ts";
import { provisioning } from "./provisioning.ts";

/** Open now: it is noon. */
const noon: OffHoursWindow = { schedule: "0 11 * * *", duration: "2h" };

function decided(cluster: Parameters<typeof snapshotOf>[0], window: Partial<OffHoursWindow> = {}) {
  const snapshot = snapshotOf(cluster, sizes, { offHours: [{ ...noon, ...window }] });
  const { commands, reasons } = provisioning(testProvider).decide(snapshot);
  return { commands, reasons, said: reasons.map(({ about, code, message }) => [about.name, code, message]) };
}

test("a pool that rests gets no claims, and pods that wait for it are told until when", () => {
  const { commands, reasons, said } = decided({ pods: [pendingPod("p", { cpu: "1" })], nodePools: [nodePool("dev")] });
  expect(reasons.at(-1)).toMatchObject({ data: { resting: true }, event: { reason: "FailedScheduling" } });
  expect(commands).toEqual([]);
  expect(said).toEqual([
    ["dev", "pool-resting", "it rests until 13:00 UTC; no nodes are made"],
    ["p", "pod-unschedulable", "NodePool dev rests until 13:00 UTC; no NodePool is ready to make nodes"],
  ]);
});

test("pods go to a pool that works", () => {
  const pools = [nodePool("dev", { weight: 10 }), nodePool("prod")];
  const { said } = decided({ pods: [pendingPod("p", { cpu: "1" })], nodePools: pools }, { nodePools: ["dev"] });
  expect(said.map(([name, code]) => [name, code]).slice(0, 1)).toEqual([["dev", "pool-resting"]]);
  expect(said.at(-1)?.[1]).toBe("pod-placed-on-new-claim");
  expect(said.at(-1)?.[2]).toContain("of NodePool prod");
});

test("a pod hears of the resting pools that it could use, at most three by name, before what else is wrong", () => {
  const pools = [
    nodePool("tainted", { taints: [{ key: "gpu", effect: "NoSchedule" }] }),
    nodePool("arm", { requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["arm64"] }] }),
    ...["a", "b", "c", "d", "e"].map((name) => nodePool(name)),
    nodePool("works"),
  ];
  const pod = pendingPod("huge", { cpu: "500" }, { nodeSelector: { "kubernetes.io/arch": "amd64" } });
  const nodePools = pools.map(({ metadata }) => metadata.name).filter((name) => name !== "works");
  const message = decided({ pods: [pod], nodePools: pools }, { nodePools }).said.at(-1)?.[2] ?? "";
  expect(message).toMatch(
    /^NodePool a rests until 13:00 UTC; NodePool b rests until 13:00 UTC; NodePool c rests until 13:00 UTC; 2 more NodePools rest; NodePool works: cpu 500 is wanted/,
  );
});
