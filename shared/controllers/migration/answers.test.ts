import { describe, expect, test } from "vitest";
import { adopting, assertHandedOver, assertSafe, from10 } from "../../../test/support/migration-checks.ts";
import { MigrationWorld } from "../../../test/support/migration-world.ts";
import { stepsForth } from "./steps.ts";

describe("what the world answers", () => {
  test("an export that cannot be written stops it before anything else is", async () => {
    const world = new MigrationWorld(from10);
    world.saveProblem = "export.yaml cannot be written: no space left on the device";
    const end = await world.run(stepsForth, adopting);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "export",
      problems: [expect.stringContaining("no space left")],
    });
    expect(world.writes).toBe(0);
  });

  test("a missing right stops it where it is met, in words", async () => {
    const world = new MigrationWorld(from10);
    const fault = { kind: "forbidden", code: "403", message: "cannot patch nodeclaims" } as const;
    world.raw.patchFault = ({ resource }) => (resource.kind === "NodeClaim" ? fault : undefined);
    expect(await world.run(stepsForth, adopting)).toEqual({
      ...{ kind: "stopped", step: "storage", problems: ["cannot patch nodeclaims (403)"] },
    });
  });

  test("no answer is looked at again, and what was written twice is written once", async () => {
    const reset = { kind: "unavailable", code: "ECONNRESET", message: "read ECONNRESET" } as const;
    const world = new MigrationWorld(from10);
    const silent = new Set<string>();
    world.raw.patchFault = ({ resource, name }) => {
      const isFirst = !silent.has(`${resource.kind}/${name}`);
      silent.add(`${resource.kind}/${name}`);
      // None of more than five objects: each costs a round.
      return isFirst && resource.kind !== "NodeClaim" ? reset : undefined;
    };
    expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
    assertHandedOver(world);
    const never = new MigrationWorld(from10);
    never.raw.patchFault = ({ resource }) => (resource.kind === "Deployment" ? reset : undefined);
    expect(await never.run(stepsForth, adopting)).toEqual({
      ...{ kind: "stopped", step: "scale-down", problems: ["read ECONNRESET (ECONNRESET)"] },
    });
  });

  test("a conflict is looked at again, and one that lasts ends it", async () => {
    const conflict = { kind: "conflict", code: "409", message: "changed" } as const;
    const twice = new MigrationWorld(from10);
    let left = 2;
    twice.raw.patchFault = ({ resource }) => (resource.kind === "Deployment" && left-- > 0 ? conflict : undefined);
    expect(await twice.run(stepsForth, adopting)).toEqual({ kind: "done" });
    const always = new MigrationWorld(from10);
    always.raw.patchFault = ({ resource }) => (resource.kind === "Deployment" ? conflict : undefined);
    expect(await always.run(stepsForth, adopting)).toMatchObject({ kind: "stopped", step: "scale-down" });
    assertSafe(always);
  });

  test("somebody who holds Karpenter's lease without a Deployment must be ended first", async () => {
    const world = new MigrationWorld();
    world.api.delete("Deployment", "karpenter", "kube-system");
    const end = await world.run(stepsForth);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "preflight",
      problems: [expect.stringMatching(/^karpenter-7d9c holds/)],
    });
    expect(world.writes).toBe(0);
  });

  test("settings that differ again by then stop it before the loop is on", async () => {
    const world = new MigrationWorld({ env: { RESERVED_ENIS: "1" } });
    world.deployed = { RESERVED_ENIS: "1" };
    world.raw.patchFault = ({ resource }) => {
      if (resource.kind === "Deployment") world.deployed = {};
      return undefined;
    };
    const end = await world.run(stepsForth);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "settings",
      problems: [expect.stringContaining("reservedEnis: 1 }")],
    });
    expect(world.state().pause).toBe("all");
  });
});

describe("what whoever is signed in may do", () => {
  test("a right that nobody judges counts as given: the write itself will say", async () => {
    const world = new MigrationWorld();
    world.raw.may = async () => undefined;
    expect(await world.run(stepsForth)).toEqual({ kind: "done" });
  });

  test("what may not be read is named, all of it, before the first look", async () => {
    const world = new MigrationWorld();
    world.raw.may = async ({ verb, resource }) => verb !== "list" || !["nodes", "leases"].includes(resource);
    expect(await world.run(stepsForth)).toEqual({
      kind: "unseen",
      message:
        "cannot read all that is needed: whoever is signed in may not list leases.coordination.k8s.io, list nodes (403)",
    });
  });
});
