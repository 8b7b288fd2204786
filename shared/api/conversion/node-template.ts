/**
 * Karpenter counterpart: the migration of v0.32, AWSNodeTemplate (karpenter.k8s.aws/v1alpha1) to EC2NodeClass. It
 * differs: straight to v1, and what has no successor is named instead of left out.
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import { type Finding, toDecide } from "./finding.ts";
import { freshMetadata } from "./fresh-metadata.ts";
import { type JsonObject, objectOr, withField } from "./json-fields.ts";
import { betaHopLimit } from "./node-class-slots.ts";
import { selectorTerms } from "./selector-terms.ts";
import { convertedTo } from "./version-conversion.ts";

export interface Conversion {
  /** In the order in which they are written; empty when the object has no successor. */
  readonly objects: readonly JsonObject[];
  readonly findings: readonly Finding[];
}

/** What the ConfigMap karpenter-global-settings said for every node template. */
export interface GlobalDefaults {
  readonly instanceProfile?: string;
  readonly tags?: JsonObject;
}

const selectors = [
  ["subnetSelector", "subnetSelectorTerms"],
  ["securityGroupSelector", "securityGroupSelectorTerms"],
  ["amiSelector", "amiSelectorTerms"],
] as const;

export function convertNodeTemplate(template: JsonObject, defaults: GlobalDefaults): Conversion {
  return nodeClassOf(freshMetadata(objectOr(template.metadata)), objectOr(template.spec), defaults, "spec");
}

/** The node class of a template's fields; `place` is where they stood. */
export function nodeClassOf(
  metadata: JsonObject,
  fields: JsonObject,
  defaults: GlobalDefaults,
  place: string,
): Conversion {
  const findings: Finding[] = [];
  if (fields.launchTemplate !== undefined) {
    const way =
      "make an EC2NodeClass with amiFamily Custom, its userData, blockDeviceMappings and securityGroupSelectorTerms";
    return {
      objects: [],
      findings: [toDecide(`${place}.launchTemplate`, `a launch template of one's own has no successor; ${way}`)],
    };
  }
  const { apiVersion: _, kind: __, launchTemplate: ___, ...rest } = fields;
  let spec: JsonObject = rest;
  for (const [before, after] of selectors) {
    const terms = selectorTerms(spec[before]);
    if (terms.kind === "refused") findings.push(toDecide(`${place}.${before}`, terms.message));
    else if (terms.terms.length > 0) spec = { ...spec, [after]: terms.terms };
    spec = withField(spec, [before], undefined);
  }
  spec = { ...withProfile(spec, defaults, place, findings), ...tagsOf(spec.tags, defaults) };
  const beta: JsonObject = {
    apiVersion: "karpenter.k8s.aws/v1beta1",
    kind: "EC2NodeClass",
    metadata,
    // The default of v1alpha1.
    spec: {
      amiFamily: "AL2",
      ...spec,
      metadataOptions: { httpPutResponseHopLimit: betaHopLimit, ...objectOr(spec.metadataOptions) },
    },
  };
  const converted = convertedTo("karpenter.k8s.aws/v1", beta);
  return { objects: converted.kind === "converted" ? [converted.object] : [], findings };
}

function withProfile(spec: JsonObject, defaults: GlobalDefaults, place: string, findings: Finding[]): JsonObject {
  if ((spec.instanceProfile ?? spec.role ?? undefined) !== undefined) return spec;
  if (defaults.instanceProfile !== undefined) return { ...spec, instanceProfile: defaults.instanceProfile };
  findings.push(
    toDecide(
      `${place}.instanceProfile`,
      "no profile is named, and no default is known; write spec.role or spec.instanceProfile",
    ),
  );
  return spec;
}

function tagsOf(own: Json | undefined, { tags }: GlobalDefaults): JsonObject {
  if (tags === undefined) return own === undefined ? {} : { tags: own };
  return { tags: { ...tags, ...(isJsonObject(own) ? own : {}) } };
}
