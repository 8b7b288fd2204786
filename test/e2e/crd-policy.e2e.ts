import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CrdOptions } from "#core/crd/crd-policy.ts";
import { type CrdReport, installCrds } from "../../shared/adapters/kubernetes/crd-installer.ts";
import { nodePool } from "../contract/cluster-objects.ts";
import { ownCrds } from "../support/karpenter-crds.ts";
import { type RealCluster, startRealCluster } from "./support/real-cluster.ts";

let real: RealCluster;
beforeAll(async () => {
  real = await startRealCluster();
});
afterAll(() => real.stop());

const careful: CrdOptions = { adoptCrds: false, autoMode: false };
const install = (options: CrdOptions): Promise<readonly CrdReport[]> =>
  installCrds(real.admin.transport, ownCrds(), options);
const pools = "nodepools.karpenter.sh";

async function reportOf(name: string, options: CrdOptions): Promise<CrdReport> {
  const report = (await install(options)).find((one) => one.name === name);
  if (report === undefined) throw new Error(`no report of ${name}`);
  return report;
}

interface StoredCrd {
  readonly metadata: { readonly resourceVersion?: string };
  readonly spec: { readonly versions: readonly Version[] };
}
interface Version {
  readonly schema: {
    readonly openAPIV3Schema: { readonly properties: Record<string, { properties: Record<string, object> }> };
  };
}

async function stored(): Promise<StoredCrd> {
  const reply = await real.admin.get("CustomResourceDefinition", pools);
  if (reply.kind === "refused") throw new Error(reply.message);
  return reply.object as unknown as StoredCrd;
}

/** Changes the status' fields of the installed NodePool CRD. */
async function changeStatus(change: (fields: Record<string, object>) => void): Promise<void> {
  const { spec } = structuredClone(await stored());
  const fields = spec.versions[0]?.schema.openAPIV3Schema.properties.status?.properties;
  if (fields === undefined) throw new Error("the CRD has a status");
  change(fields);
  const reply = await real.admin.patch("CustomResourceDefinition", pools, undefined, { spec: spec as never });
  if (reply.kind === "refused") throw new Error(reply.message);
}

describe("CRDs on a real API server", () => {
  test("that are ours are kept as they are, without a write", async () => {
    const before = (await stored()).metadata.resourceVersion;
    for (const { verdict } of await install({ ...careful, adoptCrds: true })) {
      expect(verdict).toEqual({ kind: "keep", newer: false, lacks: [] });
    }
    expect((await stored()).metadata.resourceVersion).toBe(before);
  });

  test("that are newer are never touched", async () => {
    await changeStatus((fields) => {
      fields.shinyField = { type: "string" };
    });
    expect((await reportOf(pools, { ...careful, adoptCrds: true })).verdict).toMatchObject({
      kind: "keep",
      newer: true,
    });
    await changeStatus((fields) => {
      delete fields.shinyField;
    });
  });

  test("that are too old stop the installation, until they may be adopted; objects stay", async () => {
    expect(await real.admin.create(nodePool("stays"))).toMatchObject({ kind: "ok" });
    await changeStatus((fields) => {
      delete fields.nodeClassObservedGeneration;
    });
    const annotations = { "meta.helm.sh/release-name": "karpenter-crd" };
    await real.admin.patch("CustomResourceDefinition", pools, undefined, { metadata: { annotations } });
    const before = (await stored()).metadata.resourceVersion;
    const refused = await reportOf(pools, careful);
    expect(refused.verdict).toMatchObject({ kind: "refuse", missing: ["status.nodeClassObservedGeneration"] });
    expect(refused.verdict).toMatchObject({ message: expect.stringContaining("helm upgrade karpenter-crd ") });
    expect((await reportOf(pools, { adoptCrds: true, autoMode: true })).verdict.kind).toBe("refuse");
    expect((await stored()).metadata.resourceVersion).toBe(before);
    const adopted = await reportOf(pools, { ...careful, adoptCrds: true });
    expect(adopted).toMatchObject({ verdict: { kind: "upgrade" } });
    expect(adopted.fault).toBeUndefined();
    expect((await reportOf(pools, careful)).verdict).toMatchObject({ kind: "keep", lacks: [] });
    expect((await stored()).metadata).toMatchObject({ annotations });
    expect(await real.admin.get("NodePool", "stays")).toMatchObject({ kind: "ok" });
  });
});
