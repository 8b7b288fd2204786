/**
 * v1beta1 out of the storage. Karpenter counterpart: the migration controllers of 1.0.6, which rewrite each object with an
 * annotation and then take v1beta1 out of storedVersions. The same here, with our writes.
 */

import type { Json } from "#api/core-v1/meta.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import type { MergePatch } from "#ports/raw-objects.ts";
import { crdVerdicts, tooOldProblems } from "./crd-problems.ts";
import { crdKind, crdOf, karpenterKinds, servedKind } from "./served-kinds.ts";
import { done, type MigrationOptions, type MigrationStep, refused, type StepState, toDo } from "./step.ts";
import { annotationsOf, type MigrationView, metadataOf, oldVersionsOf, titleOf } from "./view.ts";

/** Karpenter 1.0: on an object that was written again in v1. */
const migratedAnnotation = "karpenter.sh/stored-version-migrated";

export const converted: MigrationStep = {
  name: "webhook",
  does: "sees to it that somebody converts what is stored in v1beta1",
  undo: "helm upgrade karpenter-crd of version 1.0.9 names Karpenter's own webhook again",
  judge: ({ unreadable, crds }, options) =>
    unreadable === undefined ? done : withoutWebhook(unreadable, crds, options),
};

/** Nothing is converted while nobody converts. */
function withoutWebhook(why: string, crds: readonly Crd[], options: MigrationOptions): StepState {
  const { conversionUrl: url, conversionCaBundle: caBundle } = options;
  if (url === undefined) {
    return refused(
      `objects cannot be read in v1: ${why}`,
      "start the webhook of Karpenter 1.0 again, or deploy with conversionWebhook: true and name its URL by --conversion-url",
    );
  }
  const old = crds.filter((crd) => oldVersionsOf(crd).length > 0);
  const mine = old.filter(({ spec }) => spec.conversion?.webhook?.clientConfig.url === url);
  if (mine.length === old.length) {
    return refused(
      `objects cannot be read in v1 although ${url} is to convert them: ${why}`,
      "`outrigger doctor --cluster-config` says whether the control plane's egress reaches a URL",
    );
  }
  const clientConfig = { url, service: null, caBundle: caBundle ?? null };
  const conversion = { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } };
  return toDo(
    "the conversion function takes the webhook's place",
    ...old.map((crd) => crdPatch(crd, { spec: { conversion } })),
  );
}

export const exported: MigrationStep = {
  name: "export",
  does: "writes every NodePool, NodeClaim and EC2NodeClass, and their CRDs, to a file",
  undo: "delete the file",
  judge: ({ isExported, objects }) =>
    isExported ? done : toDo(`${objects.length} objects to the file`, { kind: "save-export" }),
};

export const rewritten: MigrationStep = {
  name: "storage",
  does: "writes every object again, so that etcd holds it in v1; its content stays",
  undo: "not needed: v1 is what Karpenter 1.0 and all later ones store",
  judge: (view) => {
    const crds = view.crds.filter((crd) => oldVersionsOf(crd).length > 0);
    if (crds.length === 0) return done;
    const kinds = karpenterKinds.filter((kind) => crds.some((crd) => crd === crdOf(view.crds, kind)));
    const objects = view.objects.filter((object) => kinds.some((kind) => kind === object.kind));
    const left = objects.filter((object) => annotationsOf(object)[migratedAnnotation] !== "true");
    if (left.length === 0) return done;
    return toDo(`${left.length} objects are written again`, ...left.map(rewriting));
  },
};

function rewriting(object: MigrationView["objects"][number]): MergePatch {
  const { name, uid, resourceVersion } = metadataOf(object);
  const kind = karpenterKinds.find((one) => one === object.kind);
  if (kind === undefined) throw new Error(`${titleOf(object)} is none of Karpenter's`);
  const annotations = { [migratedAnnotation]: "true" };
  return {
    kind: "merge-patch",
    resource: servedKind(kind),
    name: String(name),
    body: { metadata: { uid: uid ?? null, resourceVersion: resourceVersion ?? null, annotations } },
  };
}

export const storedVersions: MigrationStep = {
  name: "stored-versions",
  does: "says in the CRDs' status that v1 is all that is stored",
  undo: 'kubectl patch crd NAME --subresource=status --type=merge -p \'{"status":{"storedVersions":["v1beta1","v1"]}}\'',
  judge: ({ crds }) => {
    const left = crds.filter((crd) => oldVersionsOf(crd).length > 0);
    if (left.length === 0) return done;
    const body = { status: { storedVersions: ["v1"] } };
    return toDo(names(left), ...left.map((crd) => ({ ...crdPatch(crd, body), subresource: "status" as const })));
  },
};

export const unconverted: MigrationStep = {
  name: "conversion",
  does: "takes v1beta1 out of the CRDs, and the webhook that converted it",
  undo: "helm upgrade karpenter-crd of version 1.0.9 brings both back",
  judge: ({ crds }) => {
    const left = crds.filter(
      ({ spec }) => (spec.conversion?.strategy ?? "None") !== "None" || spec.versions.some(({ name }) => name !== "v1"),
    );
    if (left.length === 0) return done;
    return toDo(
      names(left),
      ...left.map((crd) => {
        const versions = crd.spec.versions.filter(({ name }) => name === "v1") as unknown as Json;
        return crdPatch(crd, { spec: { versions, conversion: { strategy: "None", webhook: null } } });
      }),
    );
  },
};

export const sufficient: MigrationStep = {
  name: "crds",
  does: "sees to it that the CRDs have every field that the loop writes",
  undo: "helm upgrade karpenter-crd of the version that was there before",
  judge: (view, options) => {
    const problems = tooOldProblems(view, options);
    if (problems.length > 0) return refused(...problems);
    const old = crdVerdicts(view, options).flatMap(({ own, installed, verdict }) =>
      verdict.kind === "upgrade" && installed !== undefined ? [{ own, installed }] : [],
    );
    if (old.length === 0) return done;
    return toDo(
      names(old.map(({ installed }) => installed)),
      ...old.map(({ own, installed }) => crdPatch(installed, { spec: own.spec as unknown as Json })),
    );
  },
};

function crdPatch({ metadata }: Crd, body: { readonly [key: string]: Json }): MergePatch {
  const { name, resourceVersion } = metadata;
  const locked = resourceVersion === undefined ? {} : { resourceVersion };
  return { kind: "merge-patch", resource: crdKind, name, body: { ...body, metadata: locked } };
}

function names(crds: readonly Crd[]): string {
  return crds.map(({ metadata }) => metadata.name).join(", ");
}
