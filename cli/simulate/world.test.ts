import { expect, test } from "vitest";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { demoManifests } from "./demo.ts";
import { World } from "./world.ts";

const startMs = Date.parse("2026-10-27T08:00:00Z");

/** What the demo's first machines are called, after so many minutes, beside these objects. */
async function machinesBeside(...objects: readonly KubeObject[]): Promise<readonly (string | undefined)[]> {
  const world = new World({ seed: 1, startMs, interruptions: false, offHours: [], metrics: false });
  expect(world.load([...demoManifests().map(({ object }) => object), ...objects])).toEqual([]);
  world.start(startMs + 3 * 60_000);
  await world.simulation.clock.runUntil(startMs + 3 * 60_000);
  return world.claims.flatMap(({ status }) => [status?.nodeName, status?.providerID]);
}

test("a node of the manifests keeps its name and its instance for itself", async () => {
  const usual = await machinesBeside();
  const [name = "", providerID = ""] = usual;
  expect(name).not.toBe("");
  const taints = [{ key: "nobody", effect: "NoSchedule" }];
  const node = { apiVersion: "v1", kind: "Node", metadata: { name }, spec: { providerID, taints } };
  const beside = await machinesBeside(node as KubeObject);
  expect(beside).toHaveLength(usual.length);
  expect(beside).not.toContain(name);
  expect(beside.some((text) => text?.endsWith(providerID.split("/").at(-1) ?? ""))).toBe(false);
});
