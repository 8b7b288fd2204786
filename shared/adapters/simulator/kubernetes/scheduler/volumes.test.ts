import { describe, expect, test } from "vitest";
import {
  aPod,
  KubernetesWorld,
  type NodeOptions,
  readyNode,
} from "../../../../../test/support/simulated-kubernetes.ts";

const zone = "topology.kubernetes.io/zone";
const nodes = { a: { zone: "z1" }, b: { zone: "z2" } };
const storageClass = (name: string, more: object = {}) => ({
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name },
  provisioner: "ebs.csi.aws.com",
  volumeBindingMode: "WaitForFirstConsumer",
  ...more,
});
const claim = (name: string, storageClassName: string) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name, namespace: "default" },
  spec: { storageClassName, accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});
const withClaim = (...claims: readonly string[]) => ({
  volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
});

async function scheduled(on: Readonly<Record<string, NodeOptions>>, ...objects: readonly object[]) {
  const world = new KubernetesWorld();
  world.load(...Object.entries(on).map(([name, options]) => readyNode(name, options)));
  await world.runFor(1);
  world.load(...objects);
  await world.runFor(30);
  return world;
}

describe("volumes", () => {
  test("a claim that waits for its consumer gets a volume in the zone of the pod's node, and the pod waits for it", async () => {
    const world = new KubernetesWorld();
    world.load(readyNode("a", nodes.a), readyNode("b", nodes.b), storageClass("gp3"), claim("data", "gp3"));
    world.load(aPod("db", { ...withClaim("data"), nodeSelector: { [zone]: "z2" } }));
    await world.runFor(1);
    expect(world.placement()).toEqual({ db: "" });
    await world.runFor(30);
    expect(world.pod("db")).toMatchObject({ spec: { nodeName: "b" }, status: { phase: "Running" } });
    const volumes = world.api.store.list("PersistentVolume");
    expect(volumes).toMatchObject([
      {
        spec: {
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, values: ["z2"] }] }] } },
        },
      },
    ]);
    expect(world.api.store.list("VolumeAttachment")).toMatchObject([
      { spec: { nodeName: "b" }, status: { attached: true } },
    ]);
  });

  test("a bound volume pins the pod to its zone", async () => {
    const world = await scheduled(
      nodes,
      storageClass("gp3"),
      claim("data", "gp3"),
      aPod("db", { ...withClaim("data"), nodeSelector: { [zone]: "z2" } }),
    );
    world.api.delete("Pod", "db", "default");
    await world.runFor(30);
    expect(world.api.store.list("VolumeAttachment")).toEqual([]);
    world.load(
      aPod("again", withClaim("data")),
      aPod("wrong", { ...withClaim("data"), nodeSelector: { [zone]: "z1" } }),
    );
    await world.runFor(5);
    expect(world.placement()).toMatchObject({ again: "b", wrong: "" });
    expect(world.unschedulable("wrong")).toContain("1 node(s) didn't match PersistentVolume's node affinity");
  });

  test("a class for certain zones keeps its pods there", async () => {
    const allowedTopologies = [{ matchLabelExpressions: [{ key: "topology.ebs.csi.aws.com/zone", values: ["z2"] }] }];
    const world = await scheduled(
      nodes,
      storageClass("gp3", { allowedTopologies }),
      claim("data", "gp3"),
      aPod("db", withClaim("data")),
    );
    expect(world.placement()).toEqual({ db: "b" });
  });
});

describe("volumes that hold a pod back", () => {
  test("a claim that does not exist holds its pod", async () => {
    const world = await scheduled(nodes, aPod("db", withClaim("data")));
    expect(world.unschedulable("db")).toBe('0/2 nodes are available: persistentvolumeclaim "data" not found.');
  });

  test("a claim of a class that binds at once and has no volume yet holds its pod until it has", async () => {
    const world = new KubernetesWorld();
    world.load(readyNode("a", nodes.a));
    world.load(
      storageClass("now", { volumeBindingMode: "Immediate" }),
      claim("data", "now"),
      aPod("db", withClaim("data")),
    );
    await world.runFor(1);
    expect(world.unschedulable("db")).toContain("unbound immediate PersistentVolumeClaims");
    await world.runFor(20);
    expect(world.placement()).toEqual({ db: "a" });
  });
});

describe("volumes of nodes and pods", () => {
  test("a volume made by hand binds to a claim of its class, on its node", async () => {
    const byHand = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "disk" },
      spec: {
        storageClassName: "local",
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        local: { path: "/disk" },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zone, operator: "In", values: ["z2"] }] }] },
        },
      },
    };
    const local = storageClass("local", { provisioner: "kubernetes.io/no-provisioner" });
    const world = await scheduled(
      nodes,
      local,
      byHand,
      claim("data", "local"),
      claim("more", "local"),
      aPod("db", withClaim("data")),
    );
    expect(world.placement()).toEqual({ db: "b" });
    world.load(aPod("second", withClaim("more")));
    await world.runFor(5);
    expect(world.unschedulable("second")).toContain("2 node(s) didn't find available persistent volumes to bind");
  });

  test("a node attaches only as many volumes as its CSINode says", async () => {
    const csiNode = {
      apiVersion: "storage.k8s.io/v1",
      kind: "CSINode",
      metadata: { name: "a" },
      spec: { drivers: [{ name: "ebs.csi.aws.com", nodeID: "a", allocatable: { count: 1 } }] },
    };
    const world = await scheduled(
      { a: nodes.a },
      csiNode,
      storageClass("gp3"),
      claim("one", "gp3"),
      claim("two", "gp3"),
      aPod("p", withClaim("one")),
    );
    world.load(aPod("q", withClaim("two")), aPod("r", withClaim("one")));
    await world.runFor(10);
    expect(world.placement()).toEqual({ p: "a", q: "", r: "a" });
    expect(world.unschedulable("q")).toContain("1 node(s) exceed max volume count");
  });

  test("a generic ephemeral volume gets a claim that goes with its pod", async () => {
    const spec = {
      storageClassName: "gp3",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
    };
    const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }];
    const world = await scheduled(nodes, storageClass("gp3"), aPod("p", { volumes }));
    expect(world.pod("p").status?.phase).toBe("Running");
    expect(world.api.get("PersistentVolumeClaim", "p-scratch", "default")).toMatchObject({ kind: "ok" });
    world.api.delete("Pod", "p", "default");
    await world.runFor(10);
    expect(world.api.store.list("PersistentVolumeClaim")).toEqual([]);
    expect(world.api.store.list("PersistentVolume")).toEqual([]);
  });
});
