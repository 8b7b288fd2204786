/** Karpenter's three CRDs as its releases leave them in a cluster. */
import type { Crd, CrdConversion } from "#core/crd/crd-policy.ts";
import { readCrds } from "../../shared/adapters/kubernetes/own-crds.ts";

const crdFolder = new URL("../../shared/api/crds/", import.meta.url);

const own = readCrds(crdFolder);

/** Outrigger's own CRDs. */
export function ownCrds(): readonly Crd[] {
  return structuredClone(own);
}

/** Anything goes: what Karpenter's own schema of that version asks is not what the tests ask. */
const loose = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };

export type Release = "0.37" | "1.0" | "1.14";

/**
 * 0.37 stores v1beta1 and knows nothing else; 1.0 stores v1, still serves v1beta1, and what was stored before still is; 1.14
 * has v1 alone.
 */
export function crdsOf(release: Release, conversion: CrdConversion = { strategy: "None" }): readonly Crd[] {
  return ownCrds().map((crd) => {
    if (release === "1.14") return { ...crd, status: { storedVersions: ["v1"] } };
    const isOld = release === "0.37";
    const { subresources } = crd.spec.versions[0] as { readonly subresources?: object };
    const beta = {
      name: "v1beta1",
      served: true,
      storage: isOld,
      schema: loose,
      ...(subresources && { subresources }),
    };
    return {
      ...crd,
      spec: { ...crd.spec, conversion, versions: isOld ? [beta] : [beta, ...crd.spec.versions] },
      status: { storedVersions: isOld ? ["v1beta1"] : ["v1beta1", "v1"] },
    };
  });
}
