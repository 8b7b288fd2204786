/**
 * Karpenter counterpart: none; its chart installs CRDs and leaves upgrades to people. Here: a CRD is made when it is
 * absent, never deleted, and changed only when it is too old and the user said so.
 */
import type { KubeObject } from "#api/core-v1/meta.ts";

/** A JSON schema node, as far as the comparison reads it. */
export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

interface CrdVersion {
  readonly name: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
}

/** How an API server turns stored objects into the version that is asked for. */
export interface CrdConversion {
  readonly strategy: "None" | "Webhook";
  readonly webhook?: {
    readonly conversionReviewVersions: readonly string[];
    readonly clientConfig: {
      readonly url?: string;
      readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string };
      /** PEM in base64; absent: the authorities that the API server trusts. */
      readonly caBundle?: string;
    };
  };
}

/** apiextensions.k8s.io/v1 CustomResourceDefinition, the fields that decide. */
export interface Crd extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly versions: readonly CrdVersion[];
    readonly conversion?: CrdConversion;
  };
  readonly status?: { readonly storedVersions?: readonly string[] };
}

export interface CrdOptions {
  /** The user lets Outrigger bring a CRD that is too old up to date. */
  readonly adoptCrds: boolean;
  /** EKS Auto Mode owns Karpenter's core CRDs on this cluster. */
  readonly autoMode: boolean;
  /** The conversion function is deployed too: a CRD that stores v1 is left alone while v1beta1 is still in etcd. */
  readonly migrating?: boolean;
}

export type CrdVerdict =
  | { readonly kind: "create" }
  /** It serves. `newer`: it has fields that ours lacks. `lacks`: fields that users cannot set on this cluster. */
  | { readonly kind: "keep"; readonly newer: boolean; readonly lacks: readonly string[] }
  | { readonly kind: "upgrade"; readonly missing: readonly string[] }
  /** Nothing is written; the message names what would mend it. */
  | { readonly kind: "refuse"; readonly missing: readonly string[]; readonly message: string };

/** What Outrigger itself writes; without these fields its writes would be refused or silently lost. */
const writtenParts: Readonly<Record<string, readonly string[]>> = {
  "nodeclaims.karpenter.sh": ["spec", "status"],
  "nodepools.karpenter.sh": ["status"],
  "ec2nodeclasses.karpenter.k8s.aws": ["status"],
};
/** Values of enumerations that Outrigger writes; Gte and Lte it writes as Gt and Lt. */
const avoidedValues: ReadonlySet<string> = new Set(["Gte", "Lte"]);
const fieldsNamedMax = 5;

/** What to do about one CRD, given what the cluster has under its name. `ours` has the version v1 and no other. */
export function crdPolicy(ours: Crd, installed: Crd | undefined, options: CrdOptions): CrdVerdict {
  const { name } = ours.metadata;
  const theirsToKeep = options.autoMode && ours.spec.group === "karpenter.sh";
  if (installed === undefined) {
    if (!theirsToKeep) return { kind: "create" };
    return refuse([], `${name} is missing, and on a cluster in Auto Mode it is EKS that must bring it`);
  }
  const stored = storedAsBeta(installed);
  if (stored !== undefined && options.migrating === true && isStorage(installed, "v1")) {
    return { kind: "keep", newer: false, lacks: differences(schemaOf(ours) ?? {}, schemaOf(installed) ?? {}, "") };
  }
  if (stored !== undefined) {
    return refuse(
      [],
      `${name} still stores ${stored}: run \`outrigger migrate\`, which rewrites every object as v1; where no webhook of Karpenter's answers any more, deploy with conversionWebhook: true`,
    );
  }
  const mine = schemaOf(ours);
  const theirs = schemaOf(installed);
  if (theirs === undefined) return tooOld(ours, installed, [`${name} v1`], options, theirsToKeep);
  const absent = differences(mine ?? {}, theirs, "");
  const missing = absent.filter((field) => isWritten(name, field));
  if (missing.length > 0) return tooOld(ours, installed, missing, options, theirsToKeep);
  return { kind: "keep", newer: differences(theirs, mine ?? {}, "").length > 0, lacks: absent };
}

function tooOld(
  ours: Crd,
  installed: Crd,
  missing: readonly string[],
  { adoptCrds }: CrdOptions,
  theirsToKeep: boolean,
): CrdVerdict {
  if (adoptCrds && !theirsToKeep) return { kind: "upgrade", missing };
  const { name } = ours.metadata;
  const more = missing.length > fieldsNamedMax ? ` and ${missing.length - fieldsNamedMax} more` : "";
  const what = `${name} is too old: it lacks ${missing.slice(0, fieldsNamedMax).join(", ")}${more}`;
  if (theirsToKeep)
    return refuse(missing, `${what}; EKS Auto Mode owns it and brings it up to date with the cluster's version`);
  const release = helmRelease(installed);
  const mend =
    release === undefined
      ? "set adoptCrds: true, or apply Karpenter's CRDs of version 1.14 or later"
      : `run \`helm upgrade ${release} oci://public.ecr.aws/karpenter/karpenter-crd --version 1.14.1\`, or set adoptCrds: true`;
  return refuse(missing, `${what}; ${mend}`);
}

function refuse(missing: readonly string[], message: string): CrdVerdict {
  return { kind: "refuse", missing, message };
}

/** The version other than v1 in which objects are, or may still be, stored. */
function storedAsBeta({ spec, status }: Crd): string | undefined {
  const storing = spec.versions.find(({ storage }) => storage === true)?.name;
  if (storing !== undefined && storing !== "v1") return storing;
  return status?.storedVersions?.find((version) => version !== "v1");
}

function isStorage({ spec }: Crd, version: string): boolean {
  return spec.versions.some(({ name, storage }) => name === version && storage === true);
}

export function schemaOf({ spec }: Crd): Schema | undefined {
  return spec.versions.find(({ name, served }) => name === "v1" && served === true)?.schema?.openAPIV3Schema;
}

/** "release -n namespace" of the Helm release that owns it. */
function helmRelease({ metadata }: Crd): string | undefined {
  const release = metadata.annotations?.["meta.helm.sh/release-name"];
  const namespace = metadata.annotations?.["meta.helm.sh/release-namespace"];
  if (release === undefined) return undefined;
  return namespace === undefined ? release : `${release} -n ${namespace}`;
}

function isWritten(name: string, field: string): boolean {
  const value = /=(.+)$/.exec(field)?.[1];
  if (value !== undefined && avoidedValues.has(value)) return false;
  return (writtenParts[name] ?? []).some((part) => field === part || field.startsWith(`${part}.`));
}

/** Fields of `wanted` that `found` does not know, as `spec.requirements[].operator`; values as `…operator=In`. */
function differences(wanted: Schema, found: Schema, at: string): readonly string[] {
  if (found["x-kubernetes-preserve-unknown-fields"] === true) return [];
  const fields = Object.entries(wanted.properties ?? {})
    .filter(([key]) => at !== "" || key === "spec" || key === "status")
    .flatMap(([key, schema]) => {
      const here = at === "" ? key : `${at}.${key}`;
      const other = found.properties?.[key];
      return other === undefined ? [here] : differences(schema, other, here);
    });
  const items = wanted.items === undefined ? [] : differences(wanted.items, found.items ?? {}, `${at}[]`);
  const values = found.enum === undefined ? [] : (wanted.enum ?? []).filter((value) => !found.enum?.includes(value));
  const { additionalProperties: entries } = wanted;
  const others = found.additionalProperties;
  const map = typeof entries === "object" && typeof others === "object" ? differences(entries, others, `${at}{}`) : [];
  return [...fields, ...items, ...map, ...values.map((value) => `${at}=${String(value)}`)].sort();
}
