import { describe, expect, test } from "vitest";
import { leftNodePool } from "../../../test/support/karpenter-objects.ts";
import {
  conversionUrl,
  Killed,
  MigrationWorld,
  type MigrationWorldOptions,
} from "../../../test/support/migration-world.ts";
import { stepsBack, stepsForth } from "./migrate.ts";
import type { MigrationOptions } from "./step.ts";

const from114: MigrationWorldOptions = {};
const from10: MigrationWorldOptions = { release: "1.0", version: "1.0.9", leaves: { classHashVersion: "v3" } };
/** The CRDs of 1.0 lack what the loop writes: they are brought up to date. */
const adopting: Partial<MigrationOptions> = { adoptCrds: true };
const crdNames = ["ec2nodeclasses.karpenter.k8s.aws", "nodeclaims.karpenter.sh", "nodepools.karpenter.sh"];

/** Never both act, and the loop not before its plan was seen: it is held from before Karpenter goes until it is on. */
function assertSafe(world: MigrationWorld): void {
  const { replicas } = world.get("Deployment", "karpenter", "kube-system").spec as { readonly replicas: number };
  const { pause, migration } = world.state();
  if (migration?.startsWith("on ") === true) expect(replicas).toBe(0);
  else if (migration !== undefined || replicas === 0) expect(pause).toBe("all");
}

function assertHandedOver(world: MigrationWorld): void {
  expect(world.get("Deployment", "karpenter", "kube-system")).toMatchObject({
    spec: { replicas: 0 },
    metadata: { annotations: { "outrigger.dev/replicas": "2" } },
  });
  expect(world.state()).toEqual({ migration: expect.stringMatching(/^on \d+$/) });
  for (const name of crdNames) {
    const { spec, status } = world.get("CustomResourceDefinition", name) as unknown as {
      readonly spec: { readonly versions: readonly { readonly name: string }[]; readonly conversion?: object };
      readonly status: object;
    };
    expect(spec.versions.map((version) => version.name)).toEqual(["v1"]);
    expect(spec.conversion ?? { strategy: "None" }).toEqual({ strategy: "None" });
    expect(status).toMatchObject({ storedVersions: ["v1"] });
  }
  const { annotations: ofClass = {} } = world.get("EC2NodeClass", "default").metadata;
  expect(ofClass["karpenter.k8s.aws/ec2nodeclass-hash-version"]).toBe("outrigger-1");
  for (const name of ["claim-a", "claim-b"]) {
    const { annotations = {} } = world.get("NodeClaim", name).metadata;
    expect(annotations["karpenter.k8s.aws/ec2nodeclass-hash"]).toBe(ofClass["karpenter.k8s.aws/ec2nodeclass-hash"]);
    expect(annotations["karpenter.k8s.aws/ec2nodeclass-hash-version"]).toBe("outrigger-1");
  }
}

describe.each([
  ["1.14", from114],
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
  world.writeMs = 100_000;
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

describe("stopped on its way", () => {
  test("by a webhook that does not answer: nothing is converted", async () => {
    const world = new MigrationWorld(from10);
    world.webhook = false;
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
    world.webhook = false;
    const before = world.claims();
    expect(await world.run(stepsForth, { ...adopting, conversionUrl })).toEqual({ kind: "done" });
    assertHandedOver(world);
    expect(world.claims()).toEqual(before);
    expect(world.saved.map(({ kind }) => kind).filter((kind) => kind === "NodeClaim")).toHaveLength(2);
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
      step: "crds",
      problems: [expect.stringMatching(/too old.*--adopt-crds/)],
    });
    expect(await world.run(stepsForth, adopting)).toEqual({ kind: "done" });
  });

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

  test("by a plan that would end nodes, until it is accepted; the loop is held", async () => {
    const world = new MigrationWorld();
    world.plan = { lines: ["…"], endings: ["NodeClaim/claim-a: drifted"] };
    const end = await world.run(stepsForth);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "plan",
      problems: ["NodeClaim/claim-a: drifted", expect.any(String)],
    });
    expect(world.state().pause).toBe("all");
    expect(await world.run(stepsForth, { acceptPlan: true })).toEqual({ kind: "done" });
  });

  test("by a plan that cannot be made", async () => {
    const world = new MigrationWorld();
    world.plan = { problem: "AWS does not answer" };
    expect(await world.run(stepsForth)).toEqual({ kind: "stopped", step: "plan", problems: ["AWS does not answer"] });
  });
});

describe("on the way back", () => {
  test.each<readonly [string, (world: MigrationWorld) => void, RegExp]>([
    [
      "no Deployment",
      (world) => {
        world.api.delete("Deployment", "karpenter", "kube-system");
      },
      /no Deployment of Karpenter is there: `helm/,
    ],
    [
      "claims in flight",
      (world) => {
        world.api.patchStatus("NodeClaim", "claim-a", undefined, { conditions: [] });
      },
      /in flight: NodeClaim\/claim-a/,
    ],
  ])("it is refused for %s", async (_, change, words) => {
    const world = new MigrationWorld();
    await world.run(stepsForth);
    change(world);
    const end = await world.run(stepsBack);
    expect(end.kind === "stopped" ? end.problems.join("\n") : "").toMatch(words);
    expect(world.state().pause).toBeUndefined();
  });
});
