import { expect } from "vitest";
import { lockedRefOf, refOf } from "#core/object-ref.ts";
import { node, nodeClaim, nodePool, pod } from "../cluster-objects.ts";
import { contractTest, expectFault, type MakeCluster, objectOf, stored } from "./cases.ts";

export function deletionCases(makeCluster: MakeCluster): void {
  finalizerCases(makeCluster);
  podCases(makeCluster);
  ownerCases(makeCluster);
}

function finalizerCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "a claim with a finalizer waits for it, and is gone with it",
    async ({ cluster, admin, prefix }) => {
      const claim = objectOf(await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) }));
      const deleting = objectOf(await cluster.apply({ kind: "delete-object", target: refOf("NodeClaim", claim) }));
      expect(deleting.metadata.deletionTimestamp).toBeDefined();
      expect(deleting.metadata.generation).toBe(2);
      const again = objectOf(await cluster.apply({ kind: "delete-object", target: refOf("NodeClaim", claim) }));
      expect(again.metadata.deletionTimestamp).toBe(deleting.metadata.deletionTimestamp);
      const target = lockedRefOf("NodeClaim", deleting);
      expect(await cluster.apply({ kind: "patch-metadata", target, finalizers: [] })).toEqual({ kind: "done" });
      expect(await admin.get("NodeClaim", `${prefix}-a`)).toMatchObject({ code: 404 });
    },
  );

  contractTest(
    makeCluster,
    "no finalizer can be added while an object is being deleted",
    async ({ cluster, prefix }) => {
      const claim = objectOf(await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) }));
      const deleting = objectOf(await cluster.apply({ kind: "delete-object", target: refOf("NodeClaim", claim) }));
      const finalizers = ["karpenter.sh/termination", "example.com/late"];
      const target = lockedRefOf("NodeClaim", deleting);
      expectFault(await cluster.apply({ kind: "patch-metadata", target, finalizers }), "invalid");
    },
  );

  contractTest(makeCluster, "a finalizer taken off an old version is a conflict", async ({ cluster, prefix }) => {
    const claim = objectOf(await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) }));
    objectOf(await cluster.apply({ kind: "delete-object", target: refOf("NodeClaim", claim) }));
    const target = lockedRefOf("NodeClaim", claim);
    expectFault(await cluster.apply({ kind: "patch-metadata", target, finalizers: [] }), "conflict");
  });

  contractTest(makeCluster, "a deletion names its object by UID", async ({ cluster, admin, prefix }) => {
    stored(await admin.create(node(`${prefix}-n`, false)));
    const other = { kind: "Node", name: `${prefix}-n`, uid: "00000000-0000-4000-8000-000000000000" } as const;
    expectFault(await cluster.apply({ kind: "delete-object", target: other }), "conflict");
    const target = refOf("Node", stored(await admin.get("Node", `${prefix}-n`)));
    expect(await cluster.apply({ kind: "delete-object", target })).toEqual({ kind: "done" });
    expectFault(await cluster.apply({ kind: "delete-object", target }), "not-found");
  });
}

function podCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "a bound pod gets its grace period, and a later deletion can shorten it",
    async ({ cluster, admin, prefix }) => {
      stored(await admin.create(node(`${prefix}-n`, false)));
      const bound = stored(await admin.create(pod(`${prefix}-p`, { nodeName: `${prefix}-n` })));
      const target = refOf("Pod", bound);
      const deleting = objectOf(await cluster.apply({ kind: "delete-object", target }));
      expect(deleting.metadata.deletionGracePeriodSeconds).toBe(30);
      const sooner = objectOf(await cluster.apply({ kind: "delete-object", target, gracePeriodSeconds: 5 }));
      expect(sooner.metadata.deletionGracePeriodSeconds).toBe(5);
      const later = objectOf(await cluster.apply({ kind: "delete-object", target, gracePeriodSeconds: 60 }));
      expect(later.metadata.deletionGracePeriodSeconds).toBe(5);
      expect(await cluster.apply({ kind: "delete-object", target, gracePeriodSeconds: 0 })).toEqual({ kind: "done" });
    },
  );

  contractTest(makeCluster, "a pod without node goes at once", async ({ cluster, admin, prefix }) => {
    const pending = stored(await admin.create(pod(`${prefix}-p`, { cpu: "100" })));
    expect(await cluster.apply({ kind: "delete-object", target: refOf("Pod", pending) })).toEqual({ kind: "done" });
  });
}

function ownerCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "what an object owns is collected after it",
    async ({ cluster, admin, prefix, eventually }) => {
      const pool = stored(await admin.create(nodePool(`${prefix}-p`)));
      const { uid = "" } = pool.metadata;
      const owner = { apiVersion: "karpenter.sh/v1", kind: "NodePool", name: `${prefix}-p`, uid };
      const claim = nodeClaim(`${prefix}-a`);
      const owned = { ...claim, metadata: { ...claim.metadata, ownerReferences: [owner] } };
      objectOf(await cluster.apply({ kind: "create-node-claim", nodeClaim: owned }));
      stored(await admin.delete("NodePool", `${prefix}-p`));
      await eventually("the claim is being deleted", async () => {
        const { metadata } = stored(await admin.get("NodeClaim", `${prefix}-a`));
        return metadata.deletionTimestamp !== undefined;
      });
    },
  );
}
