import { describe, expect, test } from "vitest";
import { conversionUrl } from "../../../test/support/converted-objects.ts";
import { adopting, assertHandedOver, assertSafe, crdNames, from10 } from "../../../test/support/migration-checks.ts";
import { MigrationWorld } from "../../../test/support/migration-world.ts";
import { stepsBack, stepsForth } from "./steps.ts";

describe("stopped on its way", () => {
  test("by a webhook that does not answer: nothing is converted", async () => {
    const world = new MigrationWorld(from10);
    world.raw.webhook = false;
    const end = await world.run(stepsForth, adopting);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "webhook",
      problems: [expect.stringContaining("webhook"), expect.any(String)],
    });
    expect(world.commands).toEqual([]);
    for (const name of crdNames) {
      expect(world.get("CustomResourceDefinition", name).status).toMatchObject({ storedVersions: ["v1beta1", "v1"] });
    }
  });

  test("not when the conversion function takes its place", async () => {
    const world = new MigrationWorld(from10);
    world.raw.webhook = false;
    const before = world.claims();
    expect(await world.run(stepsForth, { ...adopting, conversionUrl })).toEqual({ kind: "done" });
    assertHandedOver(world);
    expect(world.claims()).toEqual(before);
    expect(world.saved.map(({ kind }) => kind).filter((kind) => kind === "NodeClaim")).toHaveLength(2);
  });

  test("by a loop that is not deployed, once v1beta1 is out of the storage: before that nothing can be deployed", async () => {
    const world = new MigrationWorld(from10);
    world.deployed = "function outrigger-e2e-reconcile does not exist";
    const end = await world.run(stepsForth, adopting);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "deployment",
      problems: [expect.stringMatching(/^deploy Outrigger first/)],
    });
    expect(world.state()).toEqual({});
    world.deployed = {};
    expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
    assertHandedOver(world);
  });

  test("by CRDs that are too old, with the command that mends it (users' row 19)", async () => {
    const world = new MigrationWorld();
    const { spec } = world.get("CustomResourceDefinition", "nodeclaims.karpenter.sh") as unknown as {
      readonly spec: { readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: object } }] };
    };
    const [version] = spec.versions;
    const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object" } } } };
    world.api.patch("CustomResourceDefinition", "nodeclaims.karpenter.sh", undefined, {
      spec: { versions: [{ ...version, schema }] },
    } as never);
    const end = await world.run(stepsForth);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "preflight",
      problems: [expect.stringMatching(/too old.*--adopt-crds/)],
    });
    expect(world.writes).toBe(0);
    expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
  });
});

describe("stopped before the loop is on", () => {
  test("by a Karpenter that does not end", async () => {
    const world = new MigrationWorld();
    world.karpenterObeys = false;
    const end = await world.run(stepsForth);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "scale-down",
      problems: [expect.stringContaining("not within 180 s")],
    });
    expect(world.state().pause).toBe("all");
  });

  test("by a plan that would end nodes or cannot be made, before anything is written", async () => {
    const world = new MigrationWorld(from10);
    world.plan = { lines: ["…"], endings: ["NodeClaim/claim-a: drifted"] };
    expect(await world.run(stepsForth, adopting)).toMatchObject({ kind: "stopped", step: "rehearsal" });
    world.plan = { problem: "AWS does not answer" };
    const problems = ["AWS does not answer"];
    expect(await world.run(stepsForth, adopting)).toEqual({ kind: "stopped", step: "rehearsal", problems });
    expect(await world.run(stepsForth, adopting, false)).toEqual({ kind: "stopped", step: "rehearsal", problems });
    expect(world.writes).toBe(0);
  });

  test("by a plan that would end nodes since Karpenter went, until it is accepted; the loop is held", async () => {
    const world = new MigrationWorld();
    world.raw.patchFault = () => {
      world.plan = { lines: ["…"], endings: ["NodeClaim/claim-a: drifted"] };
      return undefined;
    };
    const end = await world.run(stepsForth);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "plan",
      problems: ["NodeClaim/claim-a: drifted", expect.any(String)],
    });
    expect(world.state().pause).toBe("all");
    expect(await world.run(stepsForth, { acceptPlan: true })).toEqual({ kind: "done" });
  });

  test("by a deployed loop that does not run", async () => {
    const world = new MigrationWorld();
    world.loopRuns = false;
    expect(await world.run(stepsForth)).toMatchObject({
      kind: "stopped",
      step: "loop",
      problems: [expect.stringMatching(/not within 180 s: .*log of its function says why/)],
    });
    expect(world.state().pause).toBe("all");
    expect(await world.run(stepsBack)).toEqual({ kind: "done" });
  });
});

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
