import { expect } from "vitest";
import type { InstanceRecord } from "#simulator/ec2/instances.ts";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

/** What goes wrong around us and concerns everybody who is there. */
export function trouble(world: () => World): void {
  scenario(world, "restart", "a restart of the API server loses nothing and doubles nothing", async (restart) => {
    await restart.apply(restart.pool(), restart.deployment(3));
    await eventually("a claim is there", async () => (await restart.claims()).length > 0);
    await world().real.controlPlane.restartApiServer();
    await restart.eventuallyRunning(3);
    const claimOf = ({ tags }: InstanceRecord): string => tags["karpenter.sh/nodeclaim"] ?? "";
    const claims = restart.instances().map(claimOf);
    expect(claims).not.toContain("");
    expect(new Set(claims).size).toBe(claims.length);
    await eventually(
      "as many instances as claims",
      async () => restart.livingInstances() === (await restart.claims()).length,
    );
  });

  const huge = "an impossible pod is told why, costs nothing, and keeps no function awake";
  scenario(world, "huge", huge, async (impossible) => {
    const containers = [{ name: "main", image: "none", resources: { requests: { cpu: "5000" } } }];
    await impossible.apply(impossible.pool(), impossible.deployment(1, { containers }));
    await eventually("an event says why", async () => {
      const events = await world().admin.list("Event", {
        namespace: "default",
        fieldSelector: "reason=FailedScheduling",
      });
      if (events.kind === "refused") return false;
      return events.object.items.some((event) => {
        const text = JSON.stringify(event);
        return text.includes('"component":"outrigger"') && text.includes("huge-");
      });
    });
    const before = world().runs.endings.length;
    await eventually("invocations end", async () => world().runs.endings.length > before + 2);
    expect(impossible.instances()).toEqual([]);
  });

  const lost = "a node that never joins is given up after Karpenter's fifteen minutes, and another is tried";
  scenario(world, "lost", lost, async (unheard) => {
    await unheard.apply(unheard.pool());
    world().kubelet.joins = false;
    await unheard.apply(unheard.deployment(1));
    await eventually("an instance is launched", async () => unheard.livingInstances() === 1);
    const [first] = await unheard.claims();
    // For a function whose clock is ahead a new claim would be as old: there shall be none meanwhile.
    await unheard.scale(0);
    await eventually("its pod is gone", async () => (await unheard.pods()).length === 0);
    await world().runs.later(16 * 60_000);
    await unheard.eventuallyGone(first);
    await world().runs.later(0);
    world().kubelet.joins = true;
    await unheard.scale(1);
    await unheard.eventuallyRunning(1);
  });
}
