import { expect } from "vitest";
import type { Node } from "#api/core-v1/node.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import { lockedRefOf, refOf } from "#core/object-ref.ts";
import { node, nodeClaim, nodePool } from "../cluster-objects.ts";
import { contractTest, expectFault, type MakeCluster, objectOf, stored } from "./cases.ts";

export function patchCases(makeCluster: MakeCluster): void {
  metadataCases(makeCluster);
  statusCases(makeCluster);
  stateCases(makeCluster);
}

function metadataCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "a metadata patch sets and removes single keys and counts no generation",
    async ({ cluster, prefix }) => {
      const claim = objectOf(await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) }));
      const target = refOf("NodeClaim", claim);
      objectOf(await cluster.apply({ kind: "patch-metadata", target, labels: { a: "1", b: "2" } }));
      const patched = objectOf(await cluster.apply({ kind: "patch-metadata", target, labels: { a: null, c: "3" } }));
      expect(patched.metadata.labels).toEqual({ b: "2", c: "3" });
      expect(patched.metadata.generation).toBe(1);
      expect(patched.metadata.annotations).toEqual(claim.metadata.annotations);
    },
  );

  contractTest(makeCluster, "a patch that changes nothing keeps the version", async ({ cluster, prefix }) => {
    const claim = objectOf(await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) }));
    const command = { kind: "patch-metadata", target: refOf("NodeClaim", claim), labels: { a: "1" } } as const;
    const once = objectOf(await cluster.apply(command));
    const twice = objectOf(await cluster.apply(command));
    expect(twice.metadata.resourceVersion).toBe(once.metadata.resourceVersion);
  });

  contractTest(
    makeCluster,
    "a patch on an old version is a conflict and changes nothing",
    async ({ cluster, admin, prefix }) => {
      const old = stored(await admin.create(node(`${prefix}-n`, false)));
      stored(await admin.patch("Node", `${prefix}-n`, undefined, { metadata: { labels: { new: "1" } } }));
      const taints = [{ key: "k", effect: "NoSchedule" }] as const;
      expectFault(await cluster.apply({ kind: "taint-node", target: lockedRefOf("Node", old), taints }), "conflict");
      const current = stored(await admin.get("Node", `${prefix}-n`)) as Node;
      expect(current.spec.taints?.some(({ key }) => key === "k") ?? false).toBe(false);
    },
  );

  contractTest(
    makeCluster,
    "a patch meant for an object that was replaced by another is a conflict",
    async ({ cluster, admin, prefix }) => {
      stored(await admin.create(node(`${prefix}-n`, false)));
      const target = { kind: "Node", name: `${prefix}-n`, uid: "00000000-0000-4000-8000-000000000000" } as const;
      expectFault(await cluster.apply({ kind: "patch-metadata", target, labels: { a: "1" } }), "conflict");
    },
  );

  contractTest(makeCluster, "a patch on an object that is gone is not found", async ({ cluster, prefix }) => {
    const target = { kind: "NodeClaim", name: `${prefix}-none` } as const;
    expectFault(await cluster.apply({ kind: "patch-metadata", target, labels: { a: "1" } }), "not-found");
    expectFault(await cluster.apply({ kind: "patch-status", target, status: { nodeName: "n" } }), "not-found");
  });

  contractTest(
    makeCluster,
    "taints are replaced as a whole, with labels in the same write",
    async ({ cluster, admin, prefix }) => {
      stored(await admin.create(node(`${prefix}-n`, false)));
      const taints = [{ key: "only", value: "v", effect: "NoExecute" }] as const;
      const attempt = async () => {
        const target = lockedRefOf("Node", stored(await admin.get("Node", `${prefix}-n`)));
        return cluster.apply({ kind: "taint-node", target, taints, labels: { role: "x" } });
      };
      // The cluster's own controllers taint a new node too: whoever meets them reads again.
      let outcome = await attempt();
      for (let tries = 0; outcome.kind === "failed" && outcome.fault.kind === "conflict" && tries < 5; tries++) {
        outcome = await attempt();
      }
      const patched = objectOf(outcome) as Node;
      expect(patched.spec.taints).toMatchObject(taints);
      expect(patched.spec.taints).toHaveLength(1);
      expect(patched.metadata.labels).toMatchObject({ role: "x", "kubernetes.io/hostname": `${prefix}-n` });
    },
  );
}

function statusCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "a status patch merges maps, replaces lists and counts no generation",
    async ({ cluster, prefix }) => {
      const claim = objectOf(await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) }));
      const target = refOf("NodeClaim", claim);
      const condition = (type: string) => ({
        type,
        status: "True",
        reason: type,
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      });
      const first = { providerID: "sim:///a", capacity: { cpu: "2" }, conditions: [condition("Launched")] };
      objectOf(await cluster.apply({ kind: "patch-status", target, status: first }));
      const second = { capacity: { memory: "4Gi" }, conditions: [condition("Registered")] };
      const patched = objectOf(await cluster.apply({ kind: "patch-status", target, status: second }));
      expect(patched).toMatchObject({
        metadata: { generation: 1 },
        status: { providerID: "sim:///a", capacity: { cpu: "2", memory: "4Gi" }, conditions: [{ type: "Registered" }] },
      });
    },
  );

  contractTest(
    makeCluster,
    "a plain write leaves status alone, a status write leaves the specification alone",
    async ({ admin, prefix }) => {
      stored(await admin.create(nodePool(`${prefix}-p`)));
      const plain = await admin.patch("NodePool", `${prefix}-p`, undefined, {
        spec: { weight: 5 },
        status: { nodes: 7 },
      });
      expect(stored(plain)).not.toHaveProperty("status.nodes");
      const patch = { spec: { weight: 6 }, status: { nodes: 8 } };
      const status = stored(await admin.patch("NodePool", `${prefix}-p`, undefined, patch, "status"));
      expect(status).toMatchObject({ spec: { weight: 5 }, status: { nodes: 8 }, metadata: { generation: 2 } });
    },
  );

  contractTest(makeCluster, "a change of the specification counts a generation", async ({ admin, prefix }) => {
    const created = stored(await admin.create(nodePool(`${prefix}-p`)));
    expect(created.metadata.generation).toBe(1);
    const patched = stored(await admin.patch("NodePool", `${prefix}-p`, undefined, { spec: { weight: 3 } }));
    expect(patched.metadata.generation).toBe(2);
  });

  contractTest(makeCluster, "schema defaults are filled in on the way in", async ({ admin, prefix }) => {
    expect(stored(await admin.create(nodePool(`${prefix}-p`)))).toMatchObject({
      spec: {
        disruption: {
          consolidateAfter: "0s",
          consolidationPolicy: "WhenEmptyOrUnderutilized",
          budgets: [{ nodes: "10%" }],
        },
        template: { spec: { expireAfter: "720h" } },
      },
    });
  });
}

function stateCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "state keys are made, changed and removed one by one",
    async ({ cluster, admin, prefix }) => {
      const [a, b] = [`${prefix}.a`, `${prefix}.b`];
      expect(await cluster.apply({ kind: "patch-state", data: { [a]: "1" } })).toMatchObject({ kind: "done" });
      expect(await cluster.apply({ kind: "patch-state", data: { [b]: "2" } })).toMatchObject({ kind: "done" });
      expect(await cluster.apply({ kind: "patch-state", data: { [a]: null } })).toMatchObject({ kind: "done" });
      const { state } = await cluster.observe("around-claims");
      expect(state[a]).toBeUndefined();
      expect(state[b]).toBe("2");
      expect(stored(await admin.get("ConfigMap", stateName, stateNamespace))).toMatchObject({ data: { [b]: "2" } });
    },
  );

  contractTest(makeCluster, "the same event said twice is one event", async ({ cluster, admin, prefix }) => {
    const about = { kind: "NodeClaim", name: `${prefix}-a` } as const;
    const name = `${prefix}-a.said`;
    const command = {
      kind: "record-event",
      name,
      about,
      type: "Normal",
      reason: "Launched",
      message: "launched",
    } as const;
    expect(await cluster.apply(command)).toMatchObject({ kind: "done" });
    expect(await cluster.apply(command)).toMatchObject({ kind: "done" });
    const events = stored(
      await admin.list("Event", { namespace: "default", fieldSelector: `involvedObject.name=${prefix}-a` }),
    );
    expect(events.items).toHaveLength(1);
    expect(events.items[0]).toMatchObject({ reason: "Launched", source: { component: "outrigger" } });
  });
}
