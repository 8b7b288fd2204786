import { kinds } from "#api/kinds.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import type { ServedKind } from "#ports/raw-objects.ts";

export const crdKind: ServedKind = {
  kind: "CustomResourceDefinition",
  apiVersion: "apiextensions.k8s.io/v1",
  plural: "customresourcedefinitions",
  namespaced: false,
};
export const deploymentKind: ServedKind = { kind: "Deployment", ...kinds.Deployment };
export const configMapKind: ServedKind = { kind: "ConfigMap", ...kinds.ConfigMap };
export const admissionKinds: readonly ServedKind[] = ["Validating", "Mutating"].map((word) => ({
  kind: `${word}WebhookConfiguration`,
  apiVersion: "admissionregistration.k8s.io/v1",
  plural: `${word.toLowerCase()}webhookconfigurations`,
  namespaced: false,
}));

/** Karpenter's kinds, classes first: what refers to another comes after it. */
export const karpenterKinds = ["EC2NodeClass", "NodePool", "NodeClaim"] as const;

export function servedKind(kind: (typeof karpenterKinds)[number]): ServedKind {
  return { kind, ...kinds[kind] };
}

/** `nodepools.karpenter.sh`. */
export function crdNameOf(kind: (typeof karpenterKinds)[number]): string {
  const { plural, apiVersion } = kinds[kind];
  return `${plural}.${apiVersion.split("/")[0]}`;
}

export function crdOf(crds: readonly Crd[], kind: (typeof karpenterKinds)[number]): Crd | undefined {
  return crds.find(({ metadata }) => metadata.name === crdNameOf(kind));
}
