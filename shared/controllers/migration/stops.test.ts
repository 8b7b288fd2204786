import { describe, expect, test } from "vitest";
import { conversionUrl } from "../../../test/support/converted-objects.ts";
import { adopting, assertHandedOver, crdNames, from10 } from "../../../test/support/migration-checks.ts";
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
