import { describe, expect, test } from "vitest";
import { claimIn, deletedClaim, kinds, leavingStages, worldWith } from "../../../test/support/leaving-world.ts";
import { ago, minuteMs, nodeOf, podOf } from "../../../test/support/lifecycle-samples.ts";

describe("the termination grace period", () => {
  const graceful = { spec: { terminationGracePeriod: "1m" } };
  const blocked = podOf("p", "a", { annotations: { "karpenter.sh/do-not-disrupt": "true" } });

  test("the deadline is written onto the claim, and past it pods are deleted, not evicted", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim(graceful)], nodes: [nodeOf("a")], pods: [blocked] });
    await world.tick(leavingStages);
    expect(claimIn(world)?.metadata.annotations?.["karpenter.sh/nodeclaim-termination-timestamp"]).toBe(ago(-minuteMs));
    expect(kinds(world)).not.toContain("evict-pod");
    world.atMs += 31_000;
    await world.tick(leavingStages);
    expect(world.steps.map(({ command }) => command)).toContainEqual(
      expect.objectContaining({
        kind: "delete-object",
        target: expect.objectContaining({ kind: "Pod", name: "p" }),
        gracePeriodSeconds: 29,
      }),
    );
  });

  test("without one such a pod holds the node for ever", async () => {
    const world = worldWith({ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], pods: [blocked] });
    world.atMs += 10 ** 9;
    await world.tick(leavingStages);
    await world.tick(leavingStages);
    expect(world.get("Pod", "default/p")?.metadata.deletionTimestamp).toBeUndefined();
    expect(kinds(world)).not.toContain("terminate-instance");
  });
});
