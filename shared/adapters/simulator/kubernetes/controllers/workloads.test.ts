import { describe, expect, test } from "vitest";
import { aPod, KubernetesWorld, readyNode, workload } from "../../../../../test/support/simulated-kubernetes.ts";
import { runForAnnotation } from "../kubelet/pod-timing.ts";

function worldWithNodes(count: number): KubernetesWorld {
  const world = new KubernetesWorld();
  world.load(...Array.from({ length: count }, (_, index) => readyNode(`n${index}`, { zone: `z${index % 3}` })));
  return world;
}

function names(world: KubernetesWorld): readonly string[] {
  return world.pods().map(({ metadata }) => metadata.name);
}

function phases(world: KubernetesWorld): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(world.pods().map(({ metadata, status }) => [metadata.name, status?.phase]));
}

describe("Deployment and ReplicaSet", () => {
  test("replicas run, and a deleted pod is replaced", async () => {
    const world = worldWithNodes(2);
    world.load(workload("Deployment", "web", { replicas: 3 }));
    await world.runFor(20);
    expect(world.api.get("Deployment", "web", "default")).toMatchObject({
      object: { status: { replicas: 3, readyReplicas: 3 } },
    });
    const [first = ""] = names(world);
    world.api.delete("Pod", first, "default");
    await world.runFor(20);
    expect(names(world)).toHaveLength(3);
    expect(names(world)).not.toContain(first);
  });

  test("a new template rolls: pods are replaced, never more than one missing of four", async () => {
    const world = worldWithNodes(3);
    world.load(workload("Deployment", "web", { replicas: 4 }));
    await world.runFor(20);
    let fewest = 4;
    world.api.watch("Deployment", {}, ({ object }) => {
      fewest = Math.min(
        fewest,
        (object as { readonly status?: { readonly readyReplicas?: number } }).status?.readyReplicas ?? 0,
      );
    });
    const before = names(world);
    world.api.patch("Deployment", "web", "default", { spec: { template: { metadata: { annotations: { v: "2" } } } } });
    await world.runFor(60);
    expect(names(world)).toHaveLength(4);
    expect(names(world).some((name) => before.includes(name))).toBe(false);
    expect(fewest).toBe(3);
  });

  test("pods that do not run go first when replicas shrink", async () => {
    const world = worldWithNodes(1);
    world.load(workload("Deployment", "web", { replicas: 3 }, { cpu: "2" }));
    await world.runFor(20);
    world.api.scale("Deployment", "web", "default", 2);
    await world.runFor(10);
    expect(Object.values(phases(world))).toEqual(["Running", "Running"]);
  });

  test("pods go with their deployment, and stay when it is deleted as an orphan-maker", async () => {
    const world = worldWithNodes(1);
    world.load(workload("Deployment", "web", { replicas: 1 }), workload("ReplicaSet", "kept", { replicas: 1 }));
    await world.runFor(20);
    world.api.delete("Deployment", "web", "default");
    world.api.delete("ReplicaSet", "kept", "default", { propagationPolicy: "Orphan" });
    await world.runFor(20);
    expect(world.api.store.list("ReplicaSet")).toEqual([]);
    expect(world.pods().map(({ metadata }) => metadata.labels?.app)).toEqual(["kept"]);
  });
});

describe("StatefulSet", () => {
  test("pods come one after the other, and go from the last", async () => {
    const world = worldWithNodes(2);
    world.load(workload("StatefulSet", "db", { replicas: 3, serviceName: "db" }));
    await world.runFor(1);
    expect(names(world)).toEqual(["db-0"]);
    await world.runFor(30);
    expect(phases(world)).toEqual({ "db-0": "Running", "db-1": "Running", "db-2": "Running" });
    world.api.scale("StatefulSet", "db", "default", 1);
    await world.runFor(1);
    expect(world.pod("db-2").metadata.deletionTimestamp).toBeDefined();
    expect(world.pod("db-1").metadata.deletionTimestamp).toBeUndefined();
    await world.runFor(20);
    expect(names(world)).toEqual(["db-0"]);
  });

  test("a pod keeps its name and claim, and is not replaced before it is gone", async () => {
    const world = worldWithNodes(1);
    const gp3 = {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "gp3" },
      provisioner: "ebs.csi.aws.com",
      volumeBindingMode: "WaitForFirstConsumer",
    };
    const spec = {
      storageClassName: "gp3",
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: "1Gi" } },
    };
    world.load(
      gp3,
      workload("StatefulSet", "db", {
        replicas: 1,
        serviceName: "db",
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec }],
      }),
    );
    await world.runFor(30);
    const { uid } = world.pod("db-0").metadata;
    const claim = world.pod("db-0").spec.volumes?.[0]?.persistentVolumeClaim?.claimName;
    expect(claim).toBe("data-db-0");
    world.api.delete("Pod", "db-0", "default");
    expect(world.pod("db-0").metadata.uid).toBe(uid);
    await world.runFor(30);
    expect(world.pod("db-0").metadata.uid).not.toBe(uid);
    expect(world.pod("db-0").status?.phase).toBe("Running");
    expect(world.api.store.list("PersistentVolumeClaim")).toHaveLength(1);
  });
});

describe("DaemonSet", () => {
  test("each matching node has one pod, new ones too, and it goes with its node", async () => {
    const world = worldWithNodes(2);
    world.load(workload("DaemonSet", "agent", {}, { cpu: "100m" }));
    await world.runFor(10);
    world.load(readyNode("late"), readyNode("closed", { taints: [{ key: "gpu", effect: "NoSchedule" }] }));
    await world.runFor(10);
    expect(Object.values(world.placement()).sort()).toEqual(["late", "n0", "n1"]);
    world.api.delete("Node", "late", undefined);
    await world.runFor(10);
    expect(Object.values(world.placement()).sort()).toEqual(["n0", "n1"]);
  });

  test("a daemon is pinned by name, tolerates its node's troubles, and takes cordoned nodes", async () => {
    const world = worldWithNodes(1);
    world.api.patch("Node", "n0", undefined, { spec: { unschedulable: true } });
    world.load(workload("DaemonSet", "agent", {}, { cpu: "100m" }));
    await world.runFor(10);
    const [pod] = world.pods();
    expect(pod).toMatchObject({ spec: { nodeName: "n0" }, status: { phase: "Running" } });
    expect(pod?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms).toEqual(
      [{ matchFields: [{ key: "metadata.name", operator: "In", values: ["n0"] }] }],
    );
    expect(pod?.spec.tolerations).toContainEqual({
      key: "node.kubernetes.io/not-ready",
      operator: "Exists",
      effect: "NoExecute",
    });
  });

  test("a daemon that finds no room says so and is not made again and again", async () => {
    const world = worldWithNodes(1);
    world.load(aPod("big", { cpu: "4" }));
    await world.runFor(10);
    world.load(workload("DaemonSet", "agent", {}, { cpu: "100m" }));
    await world.runFor(10);
    const daemons = world.pods().filter(({ metadata }) => metadata.name !== "big");
    expect(daemons).toHaveLength(1);
    expect(world.unschedulable(daemons[0]?.metadata.name ?? "")).toBe("0/1 nodes are available: 1 Insufficient cpu.");
  });
});

describe("Job", () => {
  test("pods run side by side until enough have succeeded", async () => {
    const world = worldWithNodes(2);
    const spec = { parallelism: 2, completions: 3 };
    world.load(workload("Job", "batch", spec, { restartPolicy: "Never", annotations: { [runForAnnotation]: "10s" } }));
    await world.runFor(9);
    expect(Object.values(phases(world))).toEqual(["Running", "Running"]);
    await world.runFor(60);
    expect(Object.values(phases(world))).toEqual(["Succeeded", "Succeeded", "Succeeded"]);
    expect(world.api.get("Job", "batch", "default")).toMatchObject({
      object: { status: { active: 0, succeeded: 3, failed: 0, conditions: [{ type: "Complete", status: "True" }] } },
    });
  });

  test("a pod that is deleted before its end is run again and counts as failed", async () => {
    const world = worldWithNodes(1);
    world.load(
      workload(
        "Job",
        "batch",
        { completions: 1 },
        { restartPolicy: "Never", annotations: { [runForAnnotation]: "20s" } },
      ),
    );
    await world.runFor(10);
    const [first = ""] = names(world);
    world.api.delete("Pod", first, "default");
    await world.runFor(60);
    expect(world.api.get("Job", "batch", "default")).toMatchObject({ object: { status: { succeeded: 1, failed: 1 } } });
  });
});
