/**
 * Karpenter counterpart: the migration of v0.32, AWSNodeTemplate (karpenter.k8s.aws/v1alpha1) to EC2NodeClass. It
 * differs: straight to v1, and what has no successor is named instead of left out.
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import { type Finding, toDecide } from "./finding.ts";
import { freshMetadata } from "./fresh-metadata.ts";
import { given, type JsonObject, objectOr, withField } from "./json-fields.ts";
import { nodeClassFindings, ubuntuFindings } from "./node-class-findings.ts";
import { withBetaHopLimit } from "./node-class-slots.ts";
import { selectorTerms } from "./selector-terms.ts";
import { convertedTo } from "./version-conversion.ts";

export interface Conversion {
  /** In the order in which they are written; empty when nothing takes the object's place. */
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

/** A template that cannot be converted whole stays as it is: half a class would come up with other machines. */
export function convertNodeTemplate(template: JsonObject, defaults: GlobalDefaults): Conversion {
  const metadata = freshMetadata(objectOr(template.metadata));
  const { objects, findings } = nodeClassOf(metadata, objectOr(template.spec), defaults, "spec");
  return { objects: objects.length === 0 ? [template] : objects, findings };
}

/** The node class of a template's fields, or no object and why not; `place` is where they stood. */
export function nodeClassOf(
  metadata: JsonObject,
  fields: JsonObject,
  defaults: GlobalDefaults,
  place: string,
): Conversion {
  const { apiVersion: _, kind: __, launchTemplate: ___, ...rest } = fields;
  const { spec: selecting, refusals } = withTerms(rest, place);
  const refused = [...launchTemplateFindings(fields, place), ...ubuntuFindings(fields, place), ...refusals];
  if (refused.length > 0) return { objects: [], findings: refused };
  const findings: Finding[] = [];
  const spec = withProfile(selecting, defaults, place, findings);
  const beta: JsonObject = {
    apiVersion: "karpenter.k8s.aws/v1beta1",
    kind: "EC2NodeClass",
    metadata,
    spec: {
      // The default of v1alpha1.
      amiFamily: "AL2",
      ...spec,
      ...tagsOf(spec.tags, defaults),
      metadataOptions: withBetaHopLimit(spec.metadataOptions ?? undefined),
    },
  };
  const converted = convertedTo("karpenter.k8s.aws/v1", beta);
  const objects = converted.kind === "converted" ? [converted.object] : [];
  return { objects, findings: [...findings, ...nodeClassFindings(fields, place)] };
}

function withTerms(
  fields: JsonObject,
  place: string,
): { readonly spec: JsonObject; readonly refusals: readonly Finding[] } {
  let spec = fields;
  const refusals: Finding[] = [];
  for (const [before, after] of selectors) {
    const terms = selectorTerms(spec[before] ?? undefined);
    if (terms.kind === "refused") refusals.push(toDecide(`${place}.${before}`, terms.message));
    else if (terms.terms.length > 0) spec = { ...spec, [after]: terms.terms };
    spec = withField(spec, [before], undefined);
  }
  return { spec, refusals };
}

function launchTemplateFindings({ launchTemplate }: JsonObject, place: string): readonly Finding[] {
  if ((launchTemplate ?? undefined) === undefined) return [];
  const way =
    "make an EC2NodeClass with amiFamily Custom, its userData, blockDeviceMappings and securityGroupSelectorTerms";
  return [toDecide(`${place}.launchTemplate`, `a launch template of one's own has no successor; ${way}`)];
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
  if (tags === undefined) return given("tags", own);
  return { tags: { ...tags, ...(isJsonObject(own) ? own : {}) } };
}
