import { expect } from "vitest";
import { refOf } from "#core/object-ref.ts";
import { nodeClaim } from "../cluster-objects.ts";
import { contractTest, expectFault, type MakeCluster, objectOf, stored } from "./cases.ts";

export function claimCases(makeCluster: MakeCluster): void {
  contractTest(
    makeCluster,
    "a created claim has UID, version, generation 1 and a creation time",
    async ({ cluster, prefix, nowMs }) => {
      const { metadata } = objectOf(
        await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) }),
      );
      expect(metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(metadata.resourceVersion).toMatch(/^\d+$/);
      expect(metadata.generation).toBe(1);
      expect(Math.abs(Date.parse(metadata.creationTimestamp ?? "") - nowMs())).toBeLessThan(60_000);
    },
  );

  contractTest(
    makeCluster,
    "creating the same decision again is success and answers the first object",
    async ({ cluster, prefix }) => {
      const command = { kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) } as const;
      const first = objectOf(await cluster.apply(command));
      const second = objectOf(await cluster.apply(command));
      expect(second.metadata.uid).toBe(first.metadata.uid);
    },
  );

  contractTest(makeCluster, "another decision under a taken name is refused", async ({ cluster, prefix }) => {
    await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`, "d1") });
    const outcome = await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`, "d2") });
    expectFault(outcome, "already-exists");
  });

  contractTest(
    makeCluster,
    "the same decision is refused while its first claim is being deleted",
    async ({ cluster, prefix }) => {
      const command = { kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) } as const;
      const claim = objectOf(await cluster.apply(command));
      objectOf(await cluster.apply({ kind: "delete-object", target: refOf("NodeClaim", claim) }));
      expectFault(await cluster.apply(command), "already-exists");
    },
  );

  contractTest(
    makeCluster,
    "a claim that the schema refuses is invalid and not stored",
    async ({ cluster, admin, prefix }) => {
      const good = nodeClaim(`${prefix}-a`);
      const requirements = [{ key: "kubernetes.io/arch", operator: "In" as const }];
      const outcome = await cluster.apply({
        kind: "create-node-claim",
        nodeClaim: { ...good, spec: { ...good.spec, requirements } },
      });
      expectFault(outcome, "invalid");
      expect(await admin.get("NodeClaim", `${prefix}-a`)).toMatchObject({
        kind: "refused",
        code: 404,
        reason: "NotFound",
      });
    },
  );

  contractTest(makeCluster, "a claim's specification cannot be changed", async ({ cluster, admin, prefix }) => {
    await cluster.apply({ kind: "create-node-claim", nodeClaim: nodeClaim(`${prefix}-a`) });
    const reply = await admin.patch("NodeClaim", `${prefix}-a`, undefined, { spec: { expireAfter: "1h" } });
    expect(reply).toMatchObject({ kind: "refused", code: 422, reason: "Invalid" });
    expect(stored(await admin.get("NodeClaim", `${prefix}-a`)).metadata.generation).toBe(1);
  });
}
