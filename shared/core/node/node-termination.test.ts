import { describe, expect, test } from "vitest";
import {
  claimIn,
  conditionIn,
  deletedClaim,
  evicted,
  kinds,
  leavingStages,
  nodeIn,
  worldWith,
} from "../../../test/support/leaving-world.ts";
import { ago, claimOf, instanceOf, nodeOf, podOf, statusOf } from "../../../test/support/lifecycle-samples.ts";

describe("a deleted claim with a node", () => {
  test("taint and label, Node deletion and the first eviction come in one tick; the claim says Draining", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], pods: [podOf("p", "a")] });
    await world.tick(leavingStages);
    expect(nodeIn(world)?.spec.taints).toEqual([{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }]);
    expect(nodeIn(world)?.metadata.labels?.["node.kubernetes.io/exclude-from-external-load-balancers"]).toBe(
      "karpenter",
    );
    expect(nodeIn(world)?.metadata.deletionTimestamp).toBeDefined();
    expect(evicted(world)).toEqual(["p"]);
    expect(conditionIn(world, "Drained")).toBe("Unknown Draining");
    expect(kinds(world)).not.toContain("terminate-instance");
  });

  test("goes its whole way: drained, terminated, Node and claim only when EC2 says terminated", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], pods: [podOf("p", "a")] });
    await world.tick(leavingStages);
    world.remove("Pod", "default/p");
    world.atMs += 5_000;
    await world.tick(leavingStages);
    expect(conditionIn(world, "Drained")).toBe("True Drained");
    expect(conditionIn(world, "VolumesDetached")).toBe("True VolumesDetached");
    expect(conditionIn(world, "InstanceTerminating")).toBe("True InstanceTerminating");
    expect(world.instances[0]?.state).toBe("shutting-down");
    for (let tick = 0; tick < 5; tick++) {
      world.atMs += 5_000;
      await world.tick(leavingStages);
      expect(world.steps).toEqual([]);
    }
    expect(nodeIn(world)).toBeDefined();
    world.instances = [instanceOf("a", { state: "terminated" })];
    await world.tick(leavingStages);
    expect([nodeIn(world), claimIn(world)]).toEqual([undefined, undefined]);
  });

  test("EC2 still says running after the termination: it is asked again and the finalizers stay", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")] });
    await world.tick(leavingStages);
    for (let tick = 0; tick < 3; tick++) {
      world.atMs += 5_000;
      world.instances = [instanceOf("a")];
      await world.tick(leavingStages);
      expect(kinds(world)).toContain("terminate-instance");
      expect([claimIn(world), nodeIn(world)]).not.toContain(undefined);
    }
  });
});

describe("volumes", () => {
  const volumeAttachments = [
    {
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name: "att" },
      spec: { attacher: "ebs", nodeName: "node-a", source: { persistentVolumeName: "pv" } },
    },
  ];

  test("the instance stays until the volumes are detached", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], volumeAttachments });
    await world.tick(leavingStages);
    world.atMs += 5_000;
    await world.tick(leavingStages);
    expect(conditionIn(world, "VolumesDetached")).toBe("Unknown AwaitingVolumeDetachment");
    expect(kinds(world)).not.toContain("terminate-instance");
  });

  test("but not past the deadline", async () => {
    const claim = deletedClaim({ spec: { terminationGracePeriod: "4s" } });
    const world = worldWith({ nodeClaims: [claim], nodes: [nodeOf("a")], volumeAttachments });
    await world.tick(leavingStages);
    world.atMs += 5_000;
    await world.tick(leavingStages);
    expect(conditionIn(world, "VolumesDetached")).toBe("False TerminationGracePeriodElapsed");
    expect(kinds(world)).toContain("terminate-instance");
  });

  test("a volume of a pod that stays to the end is not waited for", async () => {
    const staying = podOf("agent", "a", {
      spec: {
        tolerations: [{ operator: "Exists" }],
        volumes: [{ name: "v", persistentVolumeClaim: { claimName: "pvc" } }],
      },
    });
    const persistentVolumeClaims = [
      {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "pvc", namespace: "default" },
        spec: { volumeName: "pv" },
      },
    ];
    const world = worldWith({
      nodeClaims: [deletedClaim()],
      nodes: [nodeOf("a")],
      pods: [staying],
      volumeAttachments,
      persistentVolumeClaims,
    });
    await world.tick(leavingStages);
    world.atMs += 5_000;
    await world.tick(leavingStages);
    expect(kinds(world)).toContain("terminate-instance");
  });
});

describe("an interrupted node", () => {
  test("keeps its pods and its traffic until the replacement is initialized, and takes no new pods meanwhile", async () => {
    const annotations = { "outrigger.dev/interrupted-at": ago(0) };
    const replacing = { annotations: { "outrigger.dev/replaces": "a" } };
    const world = worldWith({
      nodeClaims: [deletedClaim({ annotations }), claimOf("b", replacing)],
      nodes: [nodeOf("a")],
      pods: [podOf("p", "a")],
    });
    await world.tick(leavingStages);
    expect(kinds(world)).toEqual(["taint-node"]);
    await world.tick(leavingStages);
    expect(world.steps).toEqual([]);
    world.put(claimOf("b", { ...replacing, status: statusOf("b", "initialized") }));
    await world.tick(leavingStages);
    expect(evicted(world)).toEqual(["p"]);
    expect(nodeIn(world)?.metadata.deletionTimestamp).toBeDefined();
  });
});
