import { expect } from "vitest";
import { reconcileGroup } from "#ports/rights.ts";
import { auditedCalls } from "../support/audit.ts";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

/** Claims that are deleted, and pods that somebody protects. */
export function drains(world: () => World): void {
  const drained = "a claim deleted by hand is drained under its budget, which answers 429, and its pods move";
  scenario(world, "guarded", drained, async (guarded) => {
    await guarded.apply(guarded.pool(), guarded.deployment(2));
    await guarded.eventuallyRunning(2);
    await guarded.apply(guarded.budget({ minAvailable: 2 }));
    const [claim] = await guarded.claims();
    await world().admin.delete("NodeClaim", claim?.metadata.name ?? "");
    await eventually("an eviction was refused", async () => guarded.refusedEvictions() > 0);
    expect(await guarded.running()).toBe(2);
    const node = (await guarded.nodes()).find(({ metadata }) => metadata.name === claim?.status?.nodeName);
    expect(node?.metadata.labels).toHaveProperty(["node.kubernetes.io/exclude-from-external-load-balancers"]);
    await world().admin.patch("PodDisruptionBudget", "guarded", "default", { spec: { minAvailable: 1 } });
    await guarded.eventuallyGone(claim);
    await guarded.eventuallyRunning(2);
  });

  const overdue = "at its deadline a node goes whatever its pods ask for: they are deleted with the grace that is left";
  scenario(world, "overdue", overdue, async (held) => {
    const pool = held.pool({ template: { terminationGracePeriod: "10s" } });
    const pods = held.deployment(1, {}, { "karpenter.sh/do-not-disrupt": "true" });
    await held.apply(pool, pods, held.budget({ maxUnavailable: 0 }));
    await held.eventuallyRunning(1);
    const [claim] = await held.claims();
    const name = claim?.metadata.name ?? "";
    await world().admin.delete("NodeClaim", name);
    await eventually("the deadline is on the claim", async () => {
      const stored = await world().admin.get("NodeClaim", name);
      const annotations = stored.kind === "ok" ? stored.object.metadata.annotations : undefined;
      return annotations?.["karpenter.sh/nodeclaim-termination-timestamp"] !== undefined;
    });
    await held.eventuallyGone(claim);
    const deleted = auditedCalls(world().real.controlPlane.root, reconcileGroup).filter(
      ({ verb, resource, name: pod }) => verb === "delete" && resource === "pods" && pod.startsWith("overdue-"),
    );
    expect(deleted.length).toBeGreaterThan(0);
  });
}

/** Moves the functions' clock, so nobody else may be there. */
export function stuckDrain(world: () => World): void {
  const stuck = "a drain that a budget never lets go on keeps no function awake, and goes on when the budget goes";
  scenario(world, "stuck", stuck, async (held) => {
    await held.apply(held.pool(), held.deployment(1), held.budget({ maxUnavailable: 0 }));
    await held.eventuallyRunning(1);
    const [claim] = await held.claims();
    await world().admin.delete("NodeClaim", claim?.metadata.name ?? "");
    // Each pause is twice as long as the one before; from a minute on the schedule's own ticks are enough.
    for (const [index, aheadMs] of [0, 20_000, 50_000, 100_000, 170_000].entries()) {
      if (aheadMs > 0) await world().runs.later(aheadMs);
      await eventually(`refusal ${index + 1}`, async () => held.refusedEvictions() > index);
    }
    const ended = world().runs.endings.length;
    // One that stayed awake would take longer.
    await eventually("invocations end", async () => world().runs.endings.length >= ended + 3, 100_000);
    expect((await held.claims()).map(({ metadata }) => metadata.uid)).toEqual([claim?.metadata.uid]);
    const told = await world().kubectl("get", "events", "--field-selector", "reason=FailedDraining");
    expect(told).toMatch(/held by a PodDisruptionBudget: default\/stuck-/);
    await world().admin.delete("PodDisruptionBudget", "stuck", "default");
    await world().runs.later(240_000);
    await held.eventuallyGone(claim);
    await held.eventuallyRunning(1);
    await world().runs.later(0);
  });
}
