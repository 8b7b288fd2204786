import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from "vitest";
import { afterUpgrade } from "../scenarios/after-upgrade.ts";
import { drains, stuckDrain } from "../scenarios/drains.ts";
import { functions } from "../scenarios/functions.ts";
import { leaving } from "../scenarios/leaving.ts";
import { pause } from "../scenarios/pause.ts";
import { placement } from "../scenarios/placement.ts";
import { scaleUp } from "../scenarios/scale-up.ts";
import { trouble } from "../scenarios/trouble.ts";
import { volumes } from "../scenarios/volumes.ts";
import { zero } from "../scenarios/zero.ts";
import type { Mode } from "./runs.ts";
import { World } from "./world.ts";

/** Every scenario in one world; `last` may look at what became of it all. */
export function scenarioSuite(mode: Mode, last: (world: () => World) => void = () => {}): void {
  describe(mode, () => {
    let world: World;
    const current = (): World => world;

    beforeAll(async () => {
      world = await World.start();
      world.runs.start(mode);
    });
    afterAll(() => world.stop());

    describe.concurrent("side by side", () => {
      scaleUp(current);
      placement(current);
      volumes(current);
      drains(current);
      leaving(current);
    });

    describe("one after the other", () => {
      // What the scenarios before made goes in the background; an invocation that died is told once, here.
      beforeEach(() => world.eventuallyEmpty());
      afterEach(async () => {
        world.kubelet.joins = true;
        await world.runs.asUsual();
        expect(world.runs.takeFailures()).toEqual([]);
      });
      stuckDrain(current);
      functions(current);
      trouble(current);
      pause(current);
      afterUpgrade(current);
      zero(current);
    });

    last(current);
  });
}
