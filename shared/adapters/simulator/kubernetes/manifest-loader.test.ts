import { describe, expect, test } from "vitest";
import { aPod, KubernetesWorld, readyNode } from "../../../../test/support/simulated-kubernetes.ts";

describe("SimulatedCluster.load", () => {
  test("one refused object keeps all of them out", async () => {
    const world = new KubernetesWorld();
    const before = world.api.store.count("Namespace");
    const elsewhere = { ...aPod("q"), metadata: { name: "q", namespace: "team" } };
    const refusals = world.cluster.load([
      aPod("p"),
      elsewhere,
      aPod("bad", { priorityClassName: "nope" }),
      readyNode("n"),
    ]);
    expect(refusals).toMatchObject([{ code: 403 }]);
    await world.runFor(5);
    expect(world.pods()).toEqual([]);
    expect(world.api.store.list("Node")).toEqual([]);
    expect(world.api.store.count("Namespace")).toBe(before);
  });

  test("the order of the documents does not matter", () => {
    const world = new KubernetesWorld();
    const high = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "high" }, value: 7 };
    expect(world.cluster.load([aPod("p", { priorityClassName: "high" }), high])).toEqual([]);
    expect(world.pod("p").spec.priority).toBe(7);
  });

  test("a namespace that is named exists then; the cluster's own give way to the manifest's", () => {
    const world = new KubernetesWorld();
    const labelled = { apiVersion: "v1", kind: "Namespace", metadata: { name: "default", labels: { team: "a" } } };
    world.load({ ...aPod("p"), metadata: { name: "p", namespace: "team" } }, labelled);
    expect(world.api.get("Namespace", "team")).toMatchObject({ kind: "ok" });
    expect(world.api.get("Namespace", "default")).toMatchObject({ object: { metadata: { labels: { team: "a" } } } });
  });

  test("live pods keep running on their node, also without the ReplicaSet that they name", async () => {
    const world = new KubernetesWorld();
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "gone", uid: "x", controller: true };
    const live = { ...aPod("p", { nodeName: "n" }), status: { phase: "Running", startTime: "2025-12-31T00:00:00Z" } };
    const metadata = { name: "p", namespace: "default", uid: "u-1", ownerReferences: [owner] };
    world.load(readyNode("n"), { ...live, metadata });
    await world.runFor(60);
    expect(world.pod("p")).toMatchObject({
      metadata: { uid: "u-1" },
      spec: { nodeName: "n" },
      status: { phase: "Running", startTime: "2025-12-31T00:00:00Z" },
    });
  });

  test("what is bound and has no status yet is started; a node that was tainted not ready is Ready", async () => {
    const world = new KubernetesWorld();
    world.load(
      readyNode("n", { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoExecute" }] }),
      aPod("p", { nodeName: "n" }),
    );
    await world.runFor(20);
    expect(world.pod("p").status?.phase).toBe("Running");
    expect(world.api.get("Node", "n")).not.toHaveProperty("object.spec.taints");
  });
});
