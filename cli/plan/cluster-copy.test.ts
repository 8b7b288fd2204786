import { expect, test } from "vitest";
import { defaultSettings } from "#core/settings.ts";
import { createSimulation } from "#simulator/simulation.ts";
import { readInput } from "../simulate/input.ts";
import { lookAtView } from "./cluster-copy.ts";
import type { Look } from "./decide.ts";

const demo = new URL("../simulate/demo/", import.meta.url).pathname;

test("a running cluster is decided on as it is, and neither it nor its account is written to", async () => {
  const startMs = Date.parse("2026-11-30T12:00:00Z");
  const { clock, cluster, cloud, api } = createSimulation({ seed: 1, startMs, clusterName: "blue" });
  const input = readInput([demo], "running");
  if (input.kind === "problems") throw new Error(JSON.stringify(input.problems));
  expect(cluster.load(input.objects)).toEqual([]);
  await clock.runUntil(startMs + 10_000);
  const settings = { ...defaultSettings, clusterName: "blue", clusterIdentity: "arn:blue@1" };
  const before = api.store.list("EC2NodeClass");
  const seen: { look?: Look } = {};
  clock.spawn(async () => {
    const view = await cluster.observe("everything");
    seen.look = await lookAtView(view, cloud.observe, settings, clock.nowMs());
  });
  await clock.runUntil(startMs + 60_000);
  expect(seen.look?.plan.claims.flatMap(({ planned }) => planned.pods)).toHaveLength(5);
  expect(seen.look?.plan.unschedulable).toEqual([]);
  expect(seen.look?.snapshot.cluster.nodeClasses[0]?.status?.conditions).not.toEqual([]);
  expect(api.store.list("EC2NodeClass")).toEqual(before);
  expect(api.store.list("NodeClaim")).toEqual([]);
  expect(cloud.instances()).toEqual([]);
});
