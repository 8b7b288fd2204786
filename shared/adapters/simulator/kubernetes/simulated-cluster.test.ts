import { describe, expect, test } from "vitest";
import { aMachine, KubernetesWorld, readyNode, workload } from "../../../../test/support/simulated-kubernetes.ts";

async function busyHour(seed: number): Promise<KubernetesWorld> {
  const world = new KubernetesWorld({ seed });
  world.load(
    readyNode("a"),
    workload("Deployment", "web", { replicas: 12 }),
    workload("DaemonSet", "agent", {}, { cpu: "50m" }),
  );
  for (const id of ["i-1", "i-2"]) world.cluster.machines.booted(aMachine(id));
  await world.runFor(60);
  world.api.scale("Deployment", "web", "default", 5);
  world.cluster.machines.gone("i-1");
  await world.runFor(300);
  return world;
}

describe("SimulatedCluster", () => {
  test("a run is a function of its seed", async () => {
    const objects = async (seed: number) => {
      const { api } = await busyHour(seed);
      return JSON.stringify(["Pod", "Node", "Event", "ReplicaSet"].map((kind) => api.store.list(kind)));
    };
    const first = await objects(1);
    expect(await objects(1)).toBe(first);
    expect(await objects(2)).not.toBe(first);
  });

  test("after everything that happened, as many pods run as are asked for, on nodes that are there", async () => {
    const world = await busyHour(3);
    const nodes = world.api.store.list("Node").map(({ metadata }) => metadata.name);
    expect(nodes).toEqual(["a", "node-i-2"]);
    const running = world.pods().filter(({ status }) => status?.phase === "Running");
    expect(running).toHaveLength(world.pods().length);
    expect(running.filter(({ metadata }) => metadata.labels?.app === "web")).toHaveLength(5);
    expect(running.filter(({ metadata }) => metadata.labels?.app === "agent")).toHaveLength(2);
    for (const { spec } of running) expect(nodes).toContain(spec.nodeName);
  });

  test("a quiet cluster does nothing: no write, and no work that comes back by itself", async () => {
    const world = await busyHour(4);
    const { revision } = world.api.store;
    await world.runFor(3_600);
    expect(world.api.store.revision).toBe(revision);
  });

  test("two hundred nodes are filled to the last pod, and no node beyond its room", async () => {
    const world = new KubernetesWorld();
    world.load(...Array.from({ length: 200 }, (_, i) => readyNode(`n${i}`, { zone: `z${i % 3}`, cpu: "2" })));
    world.load(workload("Deployment", "web", { replicas: 1_010 }, { cpu: "400m" }));
    await world.runFor(60);
    const perNode = new Map<string, number>();
    for (const node of Object.values(world.placement())) perNode.set(node, (perNode.get(node) ?? 0) + 1);
    expect(perNode.get("")).toBe(10);
    perNode.delete("");
    expect([...perNode.values()].every((count) => count === 5)).toBe(true);
    expect(perNode.size).toBe(200);
  });
});
