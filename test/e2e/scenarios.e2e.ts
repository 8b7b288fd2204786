import { afterAll, afterEach, beforeAll, describe, expect } from "vitest";
import { leaving } from "./scenarios/leaving.ts";
import { placement } from "./scenarios/placement.ts";
import { scaleUp } from "./scenarios/scale-up.ts";
import { trouble } from "./scenarios/trouble.ts";
import type { Mode } from "./support/runs.ts";
import { World } from "./support/world.ts";

describe.each<Mode>(["staying", "process-per-tick"])("%s", (mode) => {
  let world: World;
  const current = (): World => world;

  beforeAll(async () => {
    world = await World.start();
    world.runs.start(mode);
  });
  afterAll(() => world.stop());

  afterEach(async () => {
    await world.clear();
    expect(world.runs.failures).toEqual([]);
  });

  scaleUp(current);
  placement(current);
  leaving(current);
  trouble(current);
});
