import { describe, expect, test } from "vitest";
import { leftNodePool } from "../../../test/support/karpenter-objects.ts";
import { adopting, assertHandedOver, assertSafe, from10 } from "../../../test/support/migration-checks.ts";
import { Killed, MigrationWorld, type MigrationWorldOptions } from "../../../test/support/migration-world.ts";
import { stepsBack, stepsForth } from "./steps.ts";

describe.each<readonly [string, MigrationWorldOptions]>([
  ["1.14", {}],
  ["1.0, with v1beta1 in the storage", from10],
])("a migration from Karpenter %s", (_, options) => {
  test("ends with Karpenter at none and the loop on; every claim keeps UID, specification and status (users' row 39)", async () => {
    const world = new MigrationWorld(options);
    const before = world.claims();
    expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
    assertHandedOver(world);
    expect(world.claims()).toEqual(before);
    expect(new Set(world.commands.map(({ kind }) => kind))).toEqual(new Set(["patch-metadata", "patch-state"]));
    expect(world.saved).toHaveLength(7);
    expect(world.news.filter(({ state }) => state.kind === "done").map(({ step }) => step)).toEqual(stepsForth);
  });

  test("a dry run writes nothing, and says what comes first", async () => {
    const world = new MigrationWorld(options);
    expect(await world.run(stepsForth, adopting, false)).toEqual({ kind: "to-do", step: "export" });
    expect(world.writes).toBe(0);
  });

  test("killed before any one of its writes, it is resumed and ends the same", async () => {
    const whole = new MigrationWorld(options);
    const before = whole.claims();
    await whole.run(stepsForth, adopting);
    expect(whole.writes).toBeGreaterThan(6);
    for (let writes = 0; writes < whole.writes; writes++) {
      const world = new MigrationWorld(options);
      world.writesLeft = writes;
      await expect(world.run(stepsForth, adopting)).rejects.toThrow(Killed);
      assertSafe(world);
      world.writesLeft = Number.POSITIVE_INFINITY;
      expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
      assertHandedOver(world);
      expect(world.claims()).toEqual(before);
    }
  });

  test("done, it has nothing left to write", async () => {
    const world = new MigrationWorld(options);
    await world.run(stepsForth, adopting);
    const { writes } = world;
    expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
    expect(world.writes).toBe(writes);
  });

  test("given back, Karpenter has its replicas and its lease again, and the loop rests; killed at any write too", async () => {
    const whole = new MigrationWorld(options);
    const before = whole.claims();
    await whole.run(stepsForth, adopting);
    const { writes: forth } = whole;
    expect(await whole.run(stepsBack)).toEqual({ kind: "done" });
    for (let left = 0; left < whole.writes - forth; left++) {
      const world = new MigrationWorld(options);
      await world.run(stepsForth, adopting);
      world.writesLeft = left;
      await expect(world.run(stepsBack)).rejects.toThrow(Killed);
      assertSafe(world);
      world.writesLeft = Number.POSITIVE_INFINITY;
      expect(await world.run(stepsBack)).toEqual({ kind: "done" });
      expect(world.get("Deployment", "karpenter", "kube-system").spec).toMatchObject({ replicas: 2 });
      expect(world.state()).toMatchObject({ pause: "all", migration: expect.stringMatching(/^back /) });
      expect(world.claims()).toEqual(before);
    }
  });

  test("given back and taken again, it ends as before", async () => {
    const world = new MigrationWorld(options);
    await world.run(stepsForth, adopting);
    await world.run(stepsBack);
    expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
    assertHandedOver(world);
  });
});

test("writes that take long are no reason to stop", async () => {
  const world = new MigrationWorld(from10);
  world.raw.writeMs = 100_000;
  expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
});

test("pools and claims of EKS Auto Mode are no obstacle and are not written", async () => {
  const world = new MigrationWorld();
  const nodeClassRef = { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" };
  const foreign = leftNodePool({ template: { spec: { nodeClassRef, requirements: [] } } }) as {
    readonly metadata: object;
  };
  world.load({ ...foreign, metadata: { name: "general-purpose" } });
  world.load({
    ...{ apiVersion: "karpenter.sh/v1", kind: "NodeClaim", metadata: { name: "general-purpose-1" } },
    spec: { nodeClassRef, requirements: [] },
  });
  const before = [world.get("NodePool", "general-purpose"), world.get("NodeClaim", "general-purpose-1")];
  expect(await world.run(stepsForth)).toEqual({ kind: "done" });
  expect([world.get("NodePool", "general-purpose"), world.get("NodeClaim", "general-purpose-1")]).toEqual(before);
});
