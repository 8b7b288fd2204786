import { describe, expect, test } from "vitest";
import { type Crd, crdPolicy } from "./crd-policy.ts";

const options = { adoptCrds: false, autoMode: false };
const operators = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte"];

function crd(
  change: { readonly operators?: readonly string[]; readonly status?: object; readonly spec?: object } = {},
): Crd {
  const requirement = { properties: { key: {}, operator: { enum: change.operators ?? operators }, minValues: {} } };
  const spec = { properties: { requirements: { items: requirement }, expireAfter: {}, ...change.spec } };
  const status = { properties: { nodeName: {}, lastPodEventTime: {}, ...change.status } };
  const schema = { openAPIV3Schema: { properties: { apiVersion: {}, spec, status } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "nodeclaims.karpenter.sh" },
    spec: { group: "karpenter.sh", versions: [{ name: "v1", served: true, storage: true, schema }] },
    status: { storedVersions: ["v1"] },
  };
}

function without(path: readonly string[], from: Crd): Crd {
  const copy = structuredClone(from);
  const [version] = copy.spec.versions;
  let holder = version?.schema?.openAPIV3Schema as { properties: Record<string, never> };
  for (const step of path.slice(0, -1)) holder = holder.properties[step] as never;
  delete (holder.properties as Record<string, unknown>)[path.at(-1) ?? ""];
  return copy;
}

describe("the CRD policy", () => {
  test("makes what is absent", () => {
    expect(crdPolicy(crd(), undefined, options)).toEqual({ kind: "create" });
  });

  test("leaves alone what is the same", () => {
    expect(crdPolicy(crd(), crd(), { ...options, adoptCrds: true })).toEqual({ kind: "keep", newer: false, lacks: [] });
  });

  test("leaves alone what is newer, even when it may adopt", () => {
    const newer = crd({ spec: { shinyField: {} } });
    expect(crdPolicy(crd(), newer, { ...options, adoptCrds: true })).toMatchObject({ kind: "keep", newer: true });
  });

  test("refuses what lacks a field that Outrigger writes, and names the field and the mend", () => {
    const old = without(["status", "lastPodEventTime"], crd());
    const verdict = crdPolicy(crd(), old, options);
    expect(verdict).toMatchObject({ kind: "refuse", missing: ["status.lastPodEventTime"] });
    expect(verdict).toMatchObject({ message: expect.stringContaining("adoptCrds: true") });
    expect(crdPolicy(crd(), old, { ...options, adoptCrds: true }).kind).toBe("upgrade");
  });

  test("names the Helm release when Helm owns it", () => {
    const old = without(["status", "lastPodEventTime"], crd());
    const annotations = {
      "meta.helm.sh/release-name": "karpenter-crd",
      "meta.helm.sh/release-namespace": "kube-system",
    };
    const owned = { ...old, metadata: { ...old.metadata, annotations } };
    expect(crdPolicy(crd(), owned, options)).toMatchObject({
      kind: "refuse",
      message: expect.stringContaining("helm upgrade karpenter-crd -n kube-system "),
    });
  });

  test("needs the operators that Outrigger writes and no others", () => {
    const withoutBounds = crd({ operators: operators.filter((operator) => !operator.endsWith("te")) });
    expect(crdPolicy(crd(), withoutBounds, options)).toMatchObject({
      kind: "keep",
      lacks: expect.arrayContaining(["spec.requirements[].operator=Gte"]),
    });
    const withoutNotIn = crd({ operators: operators.filter((operator) => operator !== "NotIn") });
    expect(crdPolicy(crd(), withoutNotIn, options)).toMatchObject({ missing: ["spec.requirements[].operator=NotIn"] });
  });

  test("refuses while v1beta1 is stored, or may still be in etcd, adopting or not", () => {
    const [v1] = crd().spec.versions;
    if (v1 === undefined) throw new Error("the CRD has a version");
    const versions = [
      { ...v1, storage: false },
      { ...v1, name: "v1beta1", storage: true },
    ];
    const storing: Crd = { ...crd(), spec: { group: "karpenter.sh", versions } };
    const leftOver: Crd = { ...crd(), status: { storedVersions: ["v1beta1", "v1"] } };
    for (const installed of [storing, leftOver]) {
      const verdict = crdPolicy(crd(), installed, { ...options, adoptCrds: true });
      expect(verdict).toMatchObject({ kind: "refuse", message: expect.stringContaining("outrigger migrate") });
    }
    // With the conversion function there, what a migration will rewrite may stay, as long as all that is written is v1.
    const migrating = { ...options, migrating: true };
    expect(crdPolicy(crd(), storing, migrating).kind).toBe("refuse");
    expect(crdPolicy(crd(), leftOver, migrating)).toEqual({ kind: "keep", newer: false, lacks: [] });
  });

  test("does not take v1 that is not served for v1", () => {
    const [v1] = crd().spec.versions;
    if (v1 === undefined) throw new Error("the CRD has a version");
    const unserved: Crd = { ...crd(), spec: { group: "karpenter.sh", versions: [{ ...v1, served: false }] } };
    expect(crdPolicy(crd(), unserved, options).kind).toBe("refuse");
  });

  test("never writes Auto Mode's core CRDs, and still makes the node class", () => {
    const autoMode = { adoptCrds: true, autoMode: true };
    const old = without(["status", "lastPodEventTime"], crd());
    expect(crdPolicy(crd(), old, autoMode)).toMatchObject({
      kind: "refuse",
      message: expect.stringContaining("Auto Mode"),
    });
    expect(crdPolicy(crd(), undefined, autoMode).kind).toBe("refuse");
    expect(crdPolicy(crd(), crd(), autoMode).kind).toBe("keep");
    const nodeClass: Crd = {
      ...crd(),
      metadata: { name: "ec2nodeclasses.karpenter.k8s.aws" },
      spec: { ...crd().spec, group: "karpenter.k8s.aws" },
    };
    expect(crdPolicy(nodeClass, undefined, autoMode)).toEqual({ kind: "create" });
  });
});
