import { describe, expect, test } from "vitest";
import { aPod, KubernetesWorld, readyNode, workload } from "../../../../test/support/simulated-kubernetes.ts";

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
});

describe("live objects", () => {
  test.each(["False", "Unknown"])(
    "a node whose Ready condition is %s stays so, and nothing runs on it",
    async (status) => {
      const world = new KubernetesWorld();
      const node = readyNode("n") as { status: object };
      const conditions = [{ type: "Ready", status, lastTransitionTime: "2025-12-31T00:00:00Z" }];
      world.load({ ...node, status: { ...node.status, conditions } }, aPod("p", { nodeName: "n" }));
      await world.runFor(60);
      expect(world.api.get("Node", "n")).toMatchObject({ object: { status: { conditions } } });
      expect(world.pod("p").status?.phase).toBe("Pending");
      await world.runFor(300);
      expect(world.pod("p").metadata.deletionTimestamp).toBeDefined();
    },
  );

  test("a pod on its way out stays so: its kubelet ends it, and one that never had a node goes", async () => {
    const world = new KubernetesWorld();
    const leaving = (name: string, spec: object) => ({
      ...aPod(name, { ...spec, annotations: { "simulator.outrigger.dev/stop-after": "20s" } }),
      metadata: {
        name,
        namespace: "default",
        deletionTimestamp: "2026-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 15,
      },
    });
    world.load(readyNode("n"), leaving("bound", { nodeName: "n" }), leaving("unbound", {}));
    expect(world.pod("bound").metadata).toMatchObject({ deletionTimestamp: "2026-01-01T00:00:00Z" });
    await world.runFor(2);
    expect(world.pods().map(({ metadata }) => metadata.name)).toEqual(["bound"]);
    await world.runFor(14);
    expect(world.pods()).toEqual([]);
  });

  test("a ReplicaSet takes pods without controller that it selects for its own", async () => {
    const world = new KubernetesWorld();
    world.load(
      readyNode("n"),
      aPod("orphan", { labels: { app: "web" } }),
      aPod("other", { labels: { app: "x" } }),
      workload("ReplicaSet", "web", { replicas: 2 }),
    );
    await world.runFor(5);
    expect(world.pods()).toHaveLength(3);
    expect(world.pod("orphan").metadata.ownerReferences).toMatchObject([{ kind: "ReplicaSet", name: "web" }]);
    expect(world.pod("other").metadata.ownerReferences).toBeUndefined();
  });

  test("new objects get other UIDs than those of the manifests, also of a dump of the same run", async () => {
    const uids = (world: KubernetesWorld) => world.pods().map(({ metadata }) => metadata.uid);
    const first = new KubernetesWorld();
    first.load(workload("ReplicaSet", "web", { replicas: 2 }));
    await first.runFor(5);
    const second = new KubernetesWorld();
    second.load(
      ...first
        .pods()
        .map(({ metadata, ...rest }) => ({ ...rest, metadata: { ...metadata, name: `old-${metadata.name}` } })),
    );
    second.load(workload("ReplicaSet", "web", { replicas: 2 }));
    await second.runFor(5);
    expect(new Set(uids(second)).size).toBe(4);
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
