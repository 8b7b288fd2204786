/** Karpenter's v1beta1 on a real API server that converts by our function: from the first object to the last of v1beta1. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { migrate } from "#controllers/migration/migrate.ts";
import { converted, rewritten, storedVersions, unconverted } from "#controllers/migration/storage.ts";
import { crdsOf } from "../support/karpenter-crds.ts";
import { betaClaimStatus, betaNodeClaim, betaNodeClass, betaNodePool } from "./support/beta-objects.ts";
import { ConversionFunction } from "./support/conversion-function.ts";
import { InstalledCrds } from "./support/installed-crds.ts";
import { optionsOf, portsOf } from "./support/migration.ts";
import { eventually, type RealCluster, startRealCluster } from "./support/real-cluster.ts";

const kinds = [
  ["nodepools", "default"],
  ["nodeclaims", "claim-a"],
  ["nodeclaims", "claim-b"],
  ["ec2nodeclasses", "default"],
] as const;

let real: RealCluster;
let converter: ConversionFunction;
let crds: InstalledCrds;
/** As they were made, by plural and name. */
const made = new Map<string, KubeObject>();

beforeAll(async () => {
  real = await startRealCluster();
  converter = await ConversionFunction.start(real.controlPlane);
  crds = new InstalledCrds(real);
  await crds.replace(crdsOf("0.37"));
  for (const [plural, body] of [
    ["ec2nodeclasses", betaNodeClass],
    ["nodepools", betaNodePool],
    ["nodeclaims", betaNodeClaim("claim-a")],
    ["nodeclaims", betaNodeClaim("claim-b")],
  ] as const) {
    const created = await crds.create("v1beta1", plural, body);
    made.set(`${plural}/${created.metadata.name}`, created);
  }
  for (const name of ["claim-a", "claim-b"]) {
    const path = `/apis/karpenter.sh/v1beta1/nodeclaims/${name}/status`;
    const contentType = "application/merge-patch+json" as const;
    const reply = await real.admin.call({ method: "PATCH", path, contentType, body: { status: betaClaimStatus } });
    if (reply.kind === "refused") throw new Error(reply.message);
    made.set(`nodeclaims/${name}`, reply.object as KubeObject);
  }
}, 300_000);
afterAll(async () => {
  await converter.stop();
  await real.stop();
});

describe("a cluster that stores v1beta1", () => {
  test("serves its objects in v1 as soon as the CRDs of 1.0 name our function", async () => {
    await crds.apply(crdsOf("1.0", converter.conversion));
    const pool = await crds.read("v1", "nodepools", "default");
    expect(pool).toMatchObject({
      apiVersion: "karpenter.sh/v1",
      spec: {
        template: { spec: { nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass" }, expireAfter: "240h" } },
        disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s" },
      },
    });
    expect(pool.metadata.annotations).toHaveProperty("compatibility.karpenter.sh/v1beta1-kubelet-conversion");
    const nodeClass = await crds.read("v1", "ec2nodeclasses", "default");
    expect(nodeClass).toMatchObject({ spec: { amiSelectorTerms: [{ alias: "al2023@latest" }] } });
    expect(converter.url.answered.length).toBeGreaterThan(0);
    expect(new Set(converter.url.answered)).toEqual(new Set([200]));
  });

  test.each(kinds)("gives %s/%s back in v1beta1 as it was made, while v1beta1 is in etcd", async (plural, name) => {
    expect((await crds.stored(plural, name)).apiVersion).toMatch(/\/v1beta1$/);
    expect(await crds.read("v1beta1", plural, name)).toEqual(made.get(`${plural}/${name}`));
  });

  test("lists all claims in v1, in one review", async () => {
    const reply = await real.admin.list("NodeClaim");
    if (reply.kind === "refused") throw new Error(reply.message);
    expect(reply.object.items.map(({ metadata }) => metadata.uid)).toEqual(
      ["claim-a", "claim-b"].map((name) => made.get(`nodeclaims/${name}`)?.metadata.uid),
    );
  });

  test("a client of v1beta1 still writes, and v1 sees it", async () => {
    const path = "/apis/karpenter.sh/v1beta1/nodepools/default";
    const body = { spec: { disruption: { expireAfter: "300h" } } };
    const contentType = "application/merge-patch+json" as const;
    expect(await real.admin.call({ method: "PATCH", path, contentType, body })).toMatchObject({ kind: "ok" });
    expect(await crds.read("v1", "nodepools", "default")).toMatchObject({
      spec: { template: { spec: { expireAfter: "300h" } } },
    });
    expect((await crds.stored("nodepools", "default")).apiVersion).toBe("karpenter.sh/v1");
    made.set("nodepools/default", await crds.read("v1beta1", "nodepools", "default"));
  });
});

describe("the way out of v1beta1", () => {
  const before: KubeObject[] = [];
  const migrateStorage = [converted, rewritten, storedVersions, unconverted];

  test("is not gone while nobody answers: nothing is written", async () => {
    before.push(...(await Promise.all(kinds.map(([plural, name]) => crds.read("v1", plural, name)))));
    const gone = { url: "https://127.0.0.1:9/gone", caBundle: converter.caBundle };
    await crds.change(
      crdsOf("1.0", { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig: gone } }),
    );
    const isLost = async () => (await real.admin.list("NodeClaim")).kind === "refused";
    await eventually("claims cannot be read in v1", isLost);
    const end = await migrate(migrateStorage, portsOf(real), optionsOf({}), true);
    expect(end).toMatchObject({
      kind: "stopped",
      step: "webhook",
      problems: [expect.stringMatching(/cannot be read/), expect.any(String)],
    });
    expect((await crds.stored("nodeclaims", "claim-a")).apiVersion).toBe("karpenter.sh/v1beta1");
  });

  test("is gone by our function: every object rewritten in v1, none changed, v1beta1 out of the CRDs", async () => {
    const { path: conversionUrl, caBundle: conversionCaBundle } = converter;
    const options = optionsOf({ conversionUrl, conversionCaBundle });
    expect(await migrate(migrateStorage, portsOf(real), options, true)).toEqual({ kind: "done" });
    for (const [index, [plural, name]] of kinds.entries()) {
      expect((await crds.stored(plural, name)).apiVersion, `${plural}/${name}`).toMatch(/\/v1$/);
      expect(bare(await crds.read("v1", plural, name))).toEqual(bare(before[index]));
    }
    for (const name of ["nodepools.karpenter.sh", "nodeclaims.karpenter.sh", "ec2nodeclasses.karpenter.k8s.aws"]) {
      const { spec, status } = await crds.crd(name);
      expect(spec.versions.map((version) => version.name)).toEqual(["v1"]);
      expect([spec.conversion, status?.storedVersions]).toEqual([{ strategy: "None" }, ["v1"]]);
    }
    expect(await real.admin.call({ method: "GET", path: "/apis/karpenter.sh/v1beta1/nodepools" })).toMatchObject({
      kind: "refused",
      code: 404,
    });
  });

  test("needs the function no more", async () => {
    const asked = converter.url.answered.length;
    await real.controlPlane.restartApiServer();
    await eventually("the API server serves claims", async () => (await real.admin.list("NodeClaim")).kind === "ok");
    expect(bare(await crds.read("v1", "nodeclaims", "claim-a")).metadata.uid).toBe(
      made.get("nodeclaims/claim-a")?.metadata.uid,
    );
    expect(converter.url.answered.length).toBe(asked);
  });
});

/** Without what every write changes, and the mark of the rewriting. */
function bare(object: KubeObject | undefined): KubeObject {
  if (object === undefined) throw new Error("there is no such object");
  const {
    resourceVersion: _,
    managedFields: __,
    ...metadata
  } = object.metadata as KubeObject["metadata"] & {
    readonly managedFields?: unknown;
  };
  const { "karpenter.sh/stored-version-migrated": ___, ...annotations } = metadata.annotations ?? {};
  return { ...object, metadata: { ...metadata, annotations } };
}
