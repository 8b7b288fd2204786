import { expect, test } from "vitest";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import { demoManifests } from "../../cli/simulate/demo.ts";
import { World } from "../../cli/simulate/world.ts";

const startMs = Date.parse("2026-01-01T12:00:00Z");
const minuteMs = 60_000;

function stateWith(pause: string): KubeObject {
  const metadata = { name: stateName, namespace: stateNamespace };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, ...{ data: { pause } } };
}

/** The demo's cluster, with its pods waiting from the start. */
function worldWith(pause?: string): World {
  const world = new World({ seed: 1, startMs, interruptions: false, metrics: false, offHours: [] });
  const objects = demoManifests().map(({ object }) => object);
  expect(world.load([...objects, ...(pause === undefined ? [] : [stateWith(pause)])])).toEqual([]);
  world.start(startMs + 30 * minuteMs);
  return world;
}

function setPause(world: World, pause: string | null): void {
  world.simulation.api.patch("ConfigMap", stateName, stateNamespace, { data: { pause } });
}

const runTo = (world: World, minute: number): Promise<void> =>
  world.simulation.clock.runUntil(startMs + minute * minuteMs);
const running = ({ pods }: World): number => pods.filter(({ status }) => status?.phase === "Running").length;
const eventsOf = ({ simulation }: World, reason: string): readonly string[] =>
  simulation.api.store
    .list("Event")
    .filter((event) => (event as unknown as { reason: string }).reason === reason)
    .map((event) => (event as unknown as { message: string }).message);

test("a voluntary pause makes no node, says so on pools and pods, and ends by itself", async () => {
  const world = worldWith("voluntary until 2026-01-01T12:10:00Z");
  await runTo(world, 9);
  expect(world.claims).toEqual([]);
  for (const reason of ["Paused", "FailedScheduling"])
    expect(eventsOf(world, reason)).toContainEqual(
      expect.stringMatching(/^Outrigger is paused until 2026-01-01T12:10:00Z: no node/),
    );
  await runTo(world, 15);
  expect(running(world)).toBe(5);
});

test("it takes no node that works, of a cluster that has become empty, and ends those that are going", async () => {
  const world = worldWith();
  await runTo(world, 5);
  const before = world.claims.length;
  expect(before).toBeGreaterThan(0);
  setPause(world, "voluntary");
  world.simulation.api.patch("Deployment", "karpenter-test", "default", { spec: { replicas: 0 } });
  await runTo(world, 15);
  expect(world.claims).toHaveLength(before);
  const [going] = world.claims;
  world.simulation.api.delete("NodeClaim", going?.metadata.name ?? "", undefined);
  await runTo(world, 20);
  expect(world.claims).toHaveLength(before - 1);
  setPause(world, null);
  await runTo(world, 29);
  expect(world.claims).toEqual([]);
});

test("a pause of everything leaves a claim that is deleted where it is, until it ends", async () => {
  const world = worldWith();
  await runTo(world, 5);
  const before = world.claims.length;
  setPause(world, "all");
  world.simulation.api.delete("NodeClaim", world.claims[0]?.metadata.name ?? "", undefined);
  await runTo(world, 15);
  expect(world.claims).toHaveLength(before);
  expect(eventsOf(world, "Paused")).toEqual([]);
  setPause(world, null);
  await runTo(world, 20);
  expect(running(world)).toBe(5);
  expect(world.claims.every(({ metadata }) => metadata.deletionTimestamp === undefined)).toBe(true);
});
