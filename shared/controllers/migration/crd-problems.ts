import { type Crd, type CrdVerdict, crdPolicy } from "#core/crd/crd-policy.ts";
import { roadTo1 } from "./karpenter-version.ts";
import { crdNameOf, crdOf, karpenterKinds } from "./served-kinds.ts";
import type { MigrationOptions } from "./step.ts";
import { isOurs, type MigrationView, oldVersionsOf, storesV1 } from "./view.ts";

/** All that will stand in the way of the CRDs, before the first of them is written. */
export function crdProblems({ crds, objects, deployments }: MigrationView, options: MigrationOptions) {
  const missing = karpenterKinds.filter((kind) => crdOf(crds, kind) === undefined).map(crdNameOf);
  if (missing.length === karpenterKinds.length)
    return ["Karpenter's CRDs are not installed: there is nothing to migrate"];
  const old = crds.filter((crd) => !storesV1(crd));
  const road = roadTo1(deployments[0]);
  return [
    ...missing.map((name) => `the CRD ${name} is missing; apply those of the running Karpenter`),
    ...old.map((crd) => `${crd.metadata.name} stores ${oldVersionsOf(crd).join(", ")}; ${road}`),
    ...(missing.length + old.length > 0 ? [] : tooOldProblems({ crds: crds.map(withoutBeta), objects }, options)),
  ];
}

/** What the steps before make of it. */
function withoutBeta(crd: Crd): Crd {
  const versions = crd.spec.versions.filter(({ name }) => name === "v1");
  return { ...crd, spec: { ...crd.spec, versions }, status: { storedVersions: ["v1"] } };
}

export function tooOldProblems(view: Pick<MigrationView, "crds" | "objects">, options: MigrationOptions) {
  return crdVerdicts(view, options).flatMap(({ verdict }) =>
    verdict.kind === "refuse" ? [verdict.message.replace(/adoptCrds: true/, "--adopt-crds")] : [],
  );
}

/** The loop's rule for CRDs: nothing newer is touched, and nothing older is kept that it could not write. */
export function crdVerdicts(
  { crds, objects }: Pick<MigrationView, "crds" | "objects">,
  { crds: ours, adoptCrds }: MigrationOptions,
): readonly { readonly own: Crd; readonly installed: Crd | undefined; readonly verdict: CrdVerdict }[] {
  // EKS brings the core CRDs of such a cluster.
  const autoMode = objects.some((object) => !isOurs(object));
  return ours.map((own) => {
    const installed = crds.find(({ metadata }) => metadata.name === own.metadata.name);
    return { own, installed, verdict: crdPolicy(own, installed, { adoptCrds, autoMode }) };
  });
}
