import { expect } from "vitest";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

/** Longer than a Lease lives that nobody renews. */
const leaseLostMs = 17_500;

/** Several functions at once; the clock and the launches of all of them are changed, so nobody else may be there. */
export function functions(world: () => World): void {
  scenario(world, "three", "three functions at once are one by the Lease: one claim for one pod", async (three) => {
    world().runs.also(2);
    await three.apply(three.pool(), three.deployment(1));
    await three.eventuallyRunning(1);
    await three.nothingMoreIsLaunched();
    expect(three.instances()).toHaveLength(1);
    expect(await three.claims()).toHaveLength(1);
    await world().runs.alone();
  });

  const frozen =
    "a function that stood still until its Lease was another's writes nothing more, and nothing is doubled";
  scenario(world, "frozen", frozen, async (still) => {
    world().runs.freezeNextLaunch(leaseLostMs);
    world().runs.also(1);
    await still.apply(still.pool(), still.deployment(1));
    await still.eventuallyRunning(1);
    await still.nothingMoreIsLaunched();
    // A tick is told when it is over, and this one may be over after the pod runs.
    await eventually("a late write was refused", async () =>
      still.steps().some(({ outcome }) => outcome.kind === "failed" && outcome.fault.code === "LeaseTooShort"),
    );
    expect(still.instances()).toHaveLength(1);
    expect(await still.claims()).toHaveLength(1);
    await world().runs.alone();
  });
}
