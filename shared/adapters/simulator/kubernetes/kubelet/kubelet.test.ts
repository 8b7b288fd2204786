import { describe, expect, test } from "vitest";
import {
  aMachine,
  aPod,
  KubernetesWorld,
  readyNode,
  workload,
} from "../../../../../test/support/simulated-kubernetes.ts";
import { defaultDelays } from "../delays.ts";
import { stopAfterAnnotation } from "./pod-timing.ts";

const unregistered = { key: "karpenter.sh/unregistered", effect: "NoExecute" } as const;
const startup = { key: "example.com/agent", effect: "NoSchedule" } as const;

function nodeOf(world: KubernetesWorld, name = "node-i-1") {
  const found = world.api.get("Node", name);
  return found.kind === "ok" ? found.object : undefined;
}

function ready(world: KubernetesWorld): string | undefined {
  return nodeOf(world)?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

describe("Kubelet: joining", () => {
  test("a machine joins as its node, not ready, and becomes Ready", async () => {
    const world = new KubernetesWorld();
    world.cluster.machines.booted(
      aMachine("i-1", { labels: { "karpenter.sh/nodepool": "default" }, taints: [unregistered] }),
    );
    await world.runFor(5);
    expect(nodeOf(world)).toBeUndefined();
    await world.runFor(5);
    expect(nodeOf(world)).toMatchObject({
      metadata: {
        labels: {
          "karpenter.sh/nodepool": "default",
          "kubernetes.io/hostname": "node-i-1",
          "kubernetes.io/arch": "amd64",
          "kubernetes.io/os": "linux",
          "node.kubernetes.io/instance-type": "m5.xlarge",
          "topology.kubernetes.io/zone": "us-east-1a",
          "topology.kubernetes.io/region": "us-east-1",
          "beta.kubernetes.io/arch": "amd64",
          "beta.kubernetes.io/os": "linux",
          "beta.kubernetes.io/instance-type": "m5.xlarge",
          "failure-domain.beta.kubernetes.io/zone": "us-east-1a",
          "failure-domain.beta.kubernetes.io/region": "us-east-1",
          "topology.ebs.csi.aws.com/zone": "us-east-1a",
        },
      },
      spec: { providerID: "aws:///us-east-1a/i-1" },
      status: { capacity: { cpu: "4" }, allocatable: { cpu: "3920m" } },
    });
    expect(ready(world)).toBe("False");
    expect(nodeOf(world)?.spec.taints).toEqual(
      expect.arrayContaining([
        unregistered,
        expect.objectContaining({ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }),
      ]),
    );
    await world.runFor(10);
    expect(ready(world)).toBe("True");
    expect(nodeOf(world)?.spec.taints).toEqual([unregistered]);
    expect(world.api.get("CSINode", "node-i-1")).toMatchObject({ kind: "ok" });
  });

  test("a machine that is gone before it joined never becomes a node", async () => {
    const world = new KubernetesWorld();
    world.cluster.machines.booted(aMachine("i-1"));
    await world.runFor(2);
    world.cluster.machines.gone("i-1");
    await world.runFor(60);
    expect(nodeOf(world)).toBeUndefined();
  });

  test("startup taints of the node's claim go some time after Ready, other taints stay, and one put back stays", async () => {
    const world = new KubernetesWorld();
    const claim = {
      apiVersion: "karpenter.sh/v1",
      kind: "NodeClaim",
      metadata: { name: "c" },
      spec: {
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
        requirements: [],
        startupTaints: [startup],
      },
      status: { providerID: "aws:///us-east-1a/i-1" },
    };
    world.load(claim);
    world.cluster.machines.booted(aMachine("i-1", { taints: [startup, { key: "own", effect: "NoSchedule" }] }));
    await world.runFor(30);
    expect(nodeOf(world)?.spec.taints).toEqual([{ key: "own", effect: "NoSchedule" }]);
    world.api.patch("Node", "node-i-1", undefined, { spec: { taints: [startup] } });
    await world.runFor(60);
    expect(nodeOf(world)?.spec.taints).toEqual([startup]);
  });
});

describe("Kubelet: running pods", () => {
  test("a bound pod starts after its image is pulled; on the same node the next one starts sooner", async () => {
    const world = new KubernetesWorld();
    world.load(readyNode("n"), aPod("first"));
    await world.runFor(1);
    expect(world.pod("first").status?.phase).toBe("Pending");
    await world.runFor(5);
    expect(world.pod("first")).toMatchObject({ status: { phase: "Running", startTime: "2026-01-01T00:00:00Z" } });
    world.load(aPod("second"));
    await world.runFor(1);
    expect(world.pod("second").status?.phase).toBe("Running");
  });

  test("a deleted pod ends with its process, or with its grace period", async () => {
    const world = new KubernetesWorld();
    const annotations = { [stopAfterAnnotation]: "5m" };
    world.load(readyNode("n"), aPod("polite"), aPod("stubborn", { annotations, terminationGracePeriodSeconds: 60 }));
    await world.runFor(20);
    for (const name of ["polite", "stubborn"]) world.api.delete("Pod", name, "default");
    await world.runFor(5);
    expect(world.pods().map(({ metadata }) => metadata.name)).toEqual(["stubborn"]);
    await world.runFor(54);
    expect(world.pods()).toHaveLength(1);
    await world.runFor(2);
    expect(world.pods()).toEqual([]);
  });

  test("a shorter grace period given later is kept", async () => {
    const world = new KubernetesWorld();
    const annotations = { [stopAfterAnnotation]: "5m" };
    world.load(readyNode("n"), aPod("p", { annotations, terminationGracePeriodSeconds: 600 }));
    await world.runFor(20);
    world.api.delete("Pod", "p", "default");
    await world.runFor(1);
    world.api.delete("Pod", "p", "default", { gracePeriodSeconds: 3 });
    await world.runFor(4);
    expect(world.pods()).toEqual([]);
  });

  test("a NoExecute taint drives pods away at once or after their toleration's time", async () => {
    const world = new KubernetesWorld();
    const toleration = { key: "leave", operator: "Exists", effect: "NoExecute" } as const;
    world.load(
      readyNode("n"),
      aPod("now"),
      aPod("later", { tolerations: [{ ...toleration, tolerationSeconds: 30 }] }),
      aPod("never", { tolerations: [toleration] }),
    );
    await world.runFor(20);
    world.api.patch("Node", "n", undefined, { spec: { taints: [{ key: "leave", effect: "NoExecute" }] } });
    await world.runFor(10);
    expect(world.pods().map(({ metadata }) => metadata.name)).toEqual(["later", "never"]);
    await world.runFor(30);
    expect(world.pods().map(({ metadata }) => metadata.name)).toEqual(["never"]);
  });
});

describe("Taint eviction", () => {
  const leave = { key: "leave", effect: "NoExecute" } as const;
  const patient = { key: "leave", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 } as const;

  test("the time that a pod tolerates a taint begins when it comes to the node, not when the taint did", async () => {
    const world = new KubernetesWorld();
    world.load(readyNode("n", { taints: [leave] }), aPod("first", { tolerations: [patient] }));
    await world.runFor(25);
    world.load(aPod("second", { tolerations: [patient] }));
    await world.runFor(10);
    expect(world.pods().map(({ metadata }) => metadata.name)).toEqual(["second"]);
    await world.runFor(18);
    expect(world.pods()).toHaveLength(1);
    await world.runFor(7);
    expect(world.pods()).toEqual([]);
  });

  test("an older taint on a live node counts from its own time", async () => {
    const world = new KubernetesWorld();
    const old = { ...leave, timeAdded: "2025-12-31T23:59:50Z" };
    const live = {
      ...aPod("p", { nodeName: "n", tolerations: [patient] }),
      status: { phase: "Running", startTime: "2025-12-31T00:00:00Z" },
    };
    world.load(readyNode("n", { taints: [old] }), live);
    await world.runFor(18);
    expect(world.pods()).toHaveLength(1);
    await world.runFor(6);
    expect(world.pods()).toEqual([]);
  });
});

describe("Kubelet: a machine that is gone", () => {
  test("its node turns Unknown after the grace period and is removed; its pods follow", async () => {
    const world = new KubernetesWorld();
    world.cluster.machines.booted(aMachine("i-1"));
    world.load(workload("ReplicaSet", "web", { replicas: 1 }));
    await world.runFor(40);
    expect(Object.values(world.placement())).toEqual(["node-i-1"]);
    world.cluster.machines.gone("i-1");
    await world.runFor(defaultDelays.nodeMonitorGraceMs / 1000 - 1);
    expect(ready(world)).toBe("True");
    await world.runFor(2);
    expect(ready(world)).toBe("Unknown");
    const keys = nodeOf(world)?.spec.taints?.map(({ key, effect }) => `${key}:${effect}`);
    expect(keys).toEqual(["node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"]);
    await world.runFor(5);
    expect(nodeOf(world)).toBeUndefined();
    expect(Object.values(world.placement())).toEqual(["node-i-1"]);
    await world.runFor(90);
    expect(Object.values(world.placement())).toEqual([""]);
  });

  test("a finalizer holds the node, and its deleted pods end only when they are collected by force", async () => {
    const world = new KubernetesWorld();
    world.cluster.machines.booted(aMachine("i-1"));
    world.load(aPod("p"));
    await world.runFor(40);
    world.api.patch("Node", "node-i-1", undefined, { metadata: { finalizers: ["karpenter.sh/termination"] } });
    world.cluster.machines.gone("i-1");
    world.api.delete("Pod", "p", "default");
    await world.runFor(120);
    expect(nodeOf(world)?.metadata.deletionTimestamp).toBeDefined();
    expect(world.pods()).toHaveLength(1);
    world.api.delete("Pod", "p", "default", { gracePeriodSeconds: 0 });
    expect(world.pods()).toEqual([]);
  });
});
