import { expect } from "vitest";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

/** Nodes that go without being asked, and objects that are another's. */
export function leaving(world: () => World): void {
  const byHand = "a node deleted by hand takes its instance with it, and its pods get another";
  scenario(world, "by-hand", byHand, async (lost) => {
    await lost.apply(lost.pool(), lost.deployment(1));
    await lost.eventuallyRunning(1);
    const [claim] = await lost.claims();
    await world().kubectl("delete", "node", claim?.status?.nodeName ?? "", "--timeout=180s");
    await lost.eventuallyGone(claim);
    await lost.eventuallyRunning(1);
    expect(lost.livingInstances()).toBe(1);
  });

  const warned = "after a spot warning its own function marks the claim, and the pods get a new node";
  scenario(world, "spot", warned, async (spot) => {
    const requirements = [{ key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] }];
    await spot.apply(spot.pool({ template: { requirements } }), spot.deployment(1));
    await spot.eventuallyRunning(1);
    const [claim] = await spot.claims();
    world().ec2.interrupt(claim?.status?.providerID?.split("/").at(-1) ?? "");
    await spot.eventuallyGone(claim);
    await spot.eventuallyRunning(1);
    const words = ["get", "events", "--field-selector", "reason=SpotInterrupted", "-o", "wide"];
    await eventually("an event tells of it", async () =>
      (await world().kubectl(...words)).includes(claim?.metadata.name ?? "no claim"),
    );
  });

  scenario(world, "foreign", "pools of another class group are not touched", async (foreign) => {
    const nodeClassRef = { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" };
    await foreign.apply(foreign.pool({ template: { nodeClassRef } }), foreign.deployment(1));
    await foreign.nothingMoreIsLaunched();
    expect(await foreign.claims()).toEqual([]);
    const pool = await world().admin.get("NodePool", "foreign");
    expect(pool).not.toHaveProperty("object.status.conditions");
    expect(pool).not.toHaveProperty("object.metadata.annotations");
  });

  scenario(world, "token", "a token whose time is over is made anew, and nobody notices", async (token) => {
    await token.apply(token.pool(), token.deployment(1));
    await token.eventuallyRunning(1);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    const refusals = (): number => world().review.reviews - world().review.accepted;
    const before = refusals();
    world().review.refuseOlder();
    // The API server remembers for ten seconds whom it knows. A process that starts with each tick has no old token.
    if (world().runs.mode !== "process-per-tick") {
      await eventually("a token is refused", async () => refusals() > before);
    }
    await token.scale(5);
    await token.eventuallyRunning(5);
    expect(world().runs.failures).toEqual([]);
  });
}
