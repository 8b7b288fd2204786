import { expect } from "vitest";
import { refOf } from "#core/object-ref.ts";
import type { Woken } from "#ports/cluster.ts";
import { node, nodeClaim, nodePool, pod } from "../cluster-objects.ts";
import { contractTest, type MakeCluster, objectOf, stored } from "./cases.ts";

export function observationCases(makeCluster: MakeCluster): void {
  viewCases(makeCluster);
  freshCases(makeCluster);
  changeCases(makeCluster);
}

function viewCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "a view shows everything, each list by namespace and name",
    async ({ cluster, admin, prefix }) => {
      for (const name of ["b", "a"]) {
        stored(await admin.create(node(`${prefix}-${name}`, false)));
        stored(await admin.create(pod(`${prefix}-${name}`, { nodeName: `${prefix}-${name}` })));
      }
      stored(await admin.create(nodePool(`${prefix}-p`)));
      const view = await cluster.observe("everything");
      const names = (list: readonly { readonly metadata: { readonly name: string } }[]) =>
        list.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(prefix));
      expect(names(view.nodes)).toEqual([`${prefix}-a`, `${prefix}-b`]);
      expect(names(view.pods)).toEqual([`${prefix}-a`, `${prefix}-b`]);
      expect(names(view.nodePools)).toEqual([`${prefix}-p`]);
      expect(view.namespaces.map(({ metadata }) => metadata.name)).toEqual(
        expect.arrayContaining(["default", "kube-system"]),
      );
      expect(view.problems).toEqual([]);
    },
  );

  contractTest(
    makeCluster,
    "the narrow views hold claims alone, and what is around them alone",
    async ({ cluster, admin, prefix }) => {
      stored(await admin.create(node(`${prefix}-n`, false)));
      stored(await admin.create(pod(`${prefix}-p`, { nodeName: `${prefix}-n` })));
      objectOf(await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) }));
      const claims = await cluster.observe("claims");
      expect(claims.nodeClaims.map(({ metadata }) => metadata.name)).toContain(`${prefix}-a`);
      expect([claims.nodes, claims.pods, claims.namespaces]).toEqual([[], [], []]);
      const around = await cluster.observe("around-claims");
      expect(around.nodes.map(({ metadata }) => metadata.name)).toContain(`${prefix}-n`);
      expect([around.nodeClaims, around.pods, around.namespaces]).toEqual([[], [], []]);
    },
  );
}

function freshCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "a look at claims shows what another has just written, however late the watches are",
    async ({ cluster, admin, prefix, nowMs }) => {
      await cluster.observe("everything");
      await cluster.nextChange(nowMs());
      for (let index = 0; index < 10; index++) {
        const name = `${prefix}-${index}`;
        stored(await admin.create(nodeClaim(name)));
        const { nodeClaims } = await cluster.observe("claims");
        expect(nodeClaims.map(({ metadata }) => metadata.name)).toContain(name);
      }
    },
  );
}

function changeCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "a change by somebody else wakes, and only once",
    async ({ cluster, admin, prefix, nowMs }) => {
      await cluster.observe("everything");
      stored(await admin.create(pod(`${prefix}-p`, { cpu: "100" })));
      expect(await cluster.nextChange(nowMs() + 5_000)).toBe("changed");
      // What follows from the new pod (a scheduler's verdict) may wake some times more.
      let woken: Woken = "changed";
      for (let i = 0; i < 5 && woken !== "deadline"; i++) woken = await cluster.nextChange(nowMs() + 3_000);
      expect(woken).toBe("deadline");
    },
  );

  contractTest(
    makeCluster,
    "a change that happened since the last look is not missed",
    async ({ cluster, admin, prefix, nowMs }) => {
      await cluster.observe("everything");
      stored(await admin.create(nodePool(`${prefix}-p`)));
      expect(await cluster.nextChange(nowMs() + 5_000)).toBe("changed");
    },
  );

  contractTest(
    makeCluster,
    "a wait for pending pods ends for a new one, and for nothing else",
    async ({ cluster, admin, prefix, nowMs }) => {
      await cluster.observe("everything");
      stored(await admin.create(nodePool(`${prefix}-p`)));
      expect(await cluster.nextChange(nowMs() + 1_000, "pending-pods")).toBe("deadline");
      stored(await admin.create(pod(`${prefix}-q`, { cpu: "100" })));
      expect(await cluster.nextChange(nowMs() + 5_000, "pending-pods")).toBe("changed");
      // That it is told to fit nowhere is no news; what else changed is kept for whoever asks for anything.
      expect(await cluster.nextChange(nowMs() + 1_000, "pending-pods")).toBe("deadline");
      expect(await cluster.nextChange(nowMs() + 1_000)).toBe("changed");
    },
  );

  contractTest(
    makeCluster,
    "a wait for pending pods ends for a node that joins, and says so",
    async ({ cluster, admin, prefix, nowMs }) => {
      await cluster.observe("everything");
      const taints = [{ key: "karpenter.sh/unregistered", effect: "NoExecute" }];
      stored(await admin.create({ ...node(`${prefix}-n`), ...{ spec: { taints } } }));
      expect(await cluster.nextChange(nowMs() + 5_000, "pending-pods")).toBe("joining");
    },
  );

  contractTest(makeCluster, "own writes and events do not wake", async ({ cluster, prefix, nowMs }) => {
    await cluster.observe("everything");
    const claim = objectOf(await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) }));
    const about = refOf("NodeClaim", claim);
    await cluster.apply({ kind: "patch-status", target: about, status: { nodeName: "n" } });
    const name = `${prefix}-a.said`;
    await cluster.apply({ kind: "record-event", name, about, type: "Normal", reason: "Launched", message: "launched" });
    expect(await cluster.nextChange(nowMs() + 1_000)).toBe("deadline");
  });
}
