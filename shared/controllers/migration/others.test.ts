/** Others at work while a cluster is handed over: who scales Karpenter up again, a second migration, the way back. */
import { describe, expect, test } from "vitest";
import { adopting, assertHandedOver, assertSafe, from10 } from "../../../test/support/migration-checks.ts";
import { Killed, MigrationWorld } from "../../../test/support/migration-world.ts";
import { stepsBack, stepsForth } from "./steps.ts";

function scale(world: MigrationWorld, replicas: number): void {
  world.api.patch("Deployment", "karpenter", "kube-system", { spec: { replicas } });
}

function replicasOf(world: MigrationWorld): number {
  return (world.get("Deployment", "karpenter", "kube-system").spec as { readonly replicas: number }).replicas;
}

describe("Karpenter is scaled up again by another", () => {
  test("at once, each time: it stops, says so, and the loop stays held", async () => {
    const world = new MigrationWorld();
    world.meanwhile = () => scale(world, 2);
    const end = await world.run(stepsForth);
    const problems = [expect.stringMatching(/^written 6 times, and it does not stay: karpenter: from 2 to none$/)];
    expect(end).toEqual({ kind: "stopped", step: "scale-down", problems });
    expect(world.state().pause).toBe("all");
  });

  test("while its lease is waited for: it stops at once", async () => {
    const world = new MigrationWorld();
    world.karpenterObeys = false;
    world.raw.patchFault = ({ resource }) => {
      if (resource.kind === "Deployment")
        world.api.patchStatus("Deployment", "karpenter", "kube-system", { replicas: 0 });
      return undefined;
    };
    world.meanwhile = () => scale(world, 2);
    const before = world.clock.nowMs();
    expect(await world.run(stepsForth)).toMatchObject({
      kind: "stopped",
      step: "lease",
      problems: [expect.stringMatching(/has 2 replicas again/)],
    });
    expect(world.clock.nowMs() - before).toBeLessThan(5_000);
    assertSafe(world);
  });

  test("after its lease was gone: the loop is not let on", async () => {
    const world = new MigrationWorld();
    world.raw.patchFault = ({ body }) => {
      if (JSON.stringify(body).includes("shown ")) scale(world, 3);
      return undefined;
    };
    expect(await world.run(stepsForth)).toMatchObject({
      kind: "stopped",
      step: "plan",
      problems: [expect.stringMatching(/kube-system\/karpenter has 3 replicas again.*replicas=0/)],
    });
    assertSafe(world);
    world.raw.patchFault = () => undefined;
    expect(await world.run(stepsForth)).toEqual({ kind: "done" });
    expect(world.get("Deployment", "karpenter", "kube-system").metadata.annotations).toMatchObject({
      "outrigger.dev/replicas": "3",
    });
  });

  test("after the loop was on: it is held before Karpenter goes again, and a tick is shown again", async () => {
    const world = new MigrationWorld();
    await world.run(stepsForth);
    scale(world, 2);
    await world.run([]);
    const writes: string[] = [];
    world.raw.patchFault = ({ resource, body }) => {
      writes.push(`${resource.kind} ${Object.values((body.data ?? {}) as object).join(" ")}`.trim());
      return undefined;
    };
    expect(await world.run(stepsForth)).toEqual({ kind: "done" });
    expect(writes.map((word) => word.replace(/ \d+/, ""))).toEqual([
      "ConfigMap held all",
      "Deployment",
      "ConfigMap shown all",
      "ConfigMap on",
    ]);
    assertHandedOver(world);
  });
});

describe("two at once", () => {
  test("both forth: it ends as one does", async () => {
    const world = new MigrationWorld(from10);
    const before = world.claims();
    const ends = await Promise.all([world.run(stepsForth, adopting), world.run(stepsForth, adopting)]);
    expect(ends).toEqual([{ kind: "done" }, { kind: "done" }]);
    assertHandedOver(world);
    expect(world.claims()).toEqual(before);
  });

  test("one forth and one back: one of them stops, and never both act", async () => {
    // Each start of the way back is another interleaving.
    for (let looks = 0; looks < 40; looks++) {
      const world = new MigrationWorld();
      let back: ReturnType<MigrationWorld["run"]> | undefined;
      let seen = 0;
      const list = world.raw.list.bind(world.raw);
      Object.assign(world.raw, {
        list: (...given: Parameters<typeof list>) => {
          if (seen++ === looks * 4) back = world.run(stepsBack);
          assertSafe(world);
          return list(...given);
        },
      });
      const forth = await world.run(stepsForth);
      const end = await back;
      assertSafe(world);
      expect([forth.kind, end?.kind ?? "done"].filter((kind) => kind === "done").length, `${looks}`).toBeGreaterThan(0);
      const isForth = world.state().migration?.startsWith("on ") === true;
      expect(world.state().pause).toBe(isForth ? undefined : "all");
    }
  });
});

describe("stopped by whoever started it", () => {
  test("before any one of its writes, it is resumed and ends the same", async () => {
    const whole = new MigrationWorld(from10);
    await whole.run(stepsForth, adopting);
    for (let writes = 0; writes < whole.writes; writes++) {
      const world = new MigrationWorld(from10);
      world.isStopped = () => world.writes >= writes;
      const end = await world.run(stepsForth, adopting);
      expect(end).toMatchObject({
        kind: "stopped",
        problems: [expect.stringMatching(/^stopped before its next write/)],
      });
      expect(world.writes).toBe(writes);
      assertSafe(world);
      world.isStopped = () => false;
      expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
      assertHandedOver(world);
    }
  });
});

describe("claims in flight that nobody would end", () => {
  /** A claim whose node has not joined, and the process killed after `writes` of the way back. */
  async function killedBack(writes: number): Promise<MigrationWorld> {
    const world = new MigrationWorld();
    await world.run(stepsForth);
    world.writesLeft = writes;
    await expect(world.run(stepsBack)).rejects.toThrow(Killed);
    world.writesLeft = Number.POSITIVE_INFINITY;
    world.api.patchStatus("NodeClaim", "claim-a", undefined, { conditions: [] });
    return world;
  }

  test("do not hold up the way back once the loop is held", async () => {
    const world = await killedBack(1);
    expect(await world.run(stepsBack)).toEqual({ kind: "done" });
    expect(replicasOf(world)).toBe(2);
  });

  test("nor the way forth while Karpenter is at none", async () => {
    const world = await killedBack(1);
    expect(await world.run(stepsForth)).toEqual({ kind: "done" });
    assertHandedOver(world);
  });
});

test("there and back twice", async () => {
  const world = new MigrationWorld(from10);
  const before = world.claims();
  for (let times = 0; times < 2; times++) {
    expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
    assertHandedOver(world);
    expect(await world.run(stepsBack)).toEqual({ kind: "done" });
    expect(replicasOf(world)).toBe(2);
  }
  expect(world.claims()).toEqual(before);
});
