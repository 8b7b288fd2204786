/**
 * Karpenter counterpart: pkg/providers/amifamily/{ami,types}.go, List and the choice between images. It differs in one
 * total order where Karpenter leaves ties open.
 */

import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { archLabel, osLabel, windowsBuildLabel } from "#api/karpenter-v1/labels.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { parseTime } from "#api/time.ts";
import { acceleratorCountLabel, gpuCountLabel } from "../labels.ts";
import type { Ec2View, Image } from "../view.ts";
import { type AmiVariant, aliasOf, aliasParameters } from "./ami-alias.ts";
import { imageQueries } from "./image-query.ts";
import { windowsBuildOf } from "./windows-build.ts";

export interface ResolvedImage {
  readonly image: Image;
  readonly deprecated: boolean;
  /** By length of the key, then the key, as Karpenter writes them. */
  readonly requirements: readonly RequirementSpec[];
}

/** Newest first; undefined when a read is missing, so that nothing can be said. */
export function resolveImages(
  spec: EC2NodeClassSpec,
  view: Ec2View,
  kubernetesVersion: string,
  nowMs: number,
): readonly ResolvedImage[] | undefined {
  const answers = imageQueries(spec, kubernetesVersion).map(({ key }) => view.images[key]);
  const images: Image[] = [];
  for (const answer of answers) {
    if (answer === undefined) return undefined;
    images.push(...answer);
  }
  const alias = aliasOf(spec);
  if (alias === undefined) return best(images.map((image) => resolved(image, undefined, nowMs)));
  const byId = new Map(images.map((image) => [image.id, image]));
  const build = windowsBuildOf(alias.family);
  return best(
    aliasParameters(alias, kubernetesVersion).flatMap(({ parameter, variants }) => {
      const image = byId.get(view.parameters[parameter] ?? "");
      return image === undefined ? [] : variants.map((variant) => resolved(image, { variant, build }, nowMs));
    }),
  );
}

interface Variant {
  readonly variant: AmiVariant;
  readonly build: string | undefined;
}

function resolved(image: Image, variant: Variant | undefined, nowMs: number): ResolvedImage {
  const arch: RequirementSpec = { key: archLabel, operator: "In", values: [image.arch] };
  const requirements = [arch, ...(variant === undefined ? [] : requirementsOf(variant))];
  const deprecatedAtMs = parseTime(image.deprecatedAt);
  return {
    image,
    deprecated: deprecatedAtMs !== undefined && deprecatedAtMs <= nowMs,
    requirements: requirements.sort((a, b) => a.key.length - b.key.length || compareText(a.key, b.key)),
  };
}

function requirementsOf({ variant, build }: Variant): readonly RequirementSpec[] {
  switch (variant) {
    case "standard":
      return [
        { key: acceleratorCountLabel, operator: "DoesNotExist" },
        { key: gpuCountLabel, operator: "DoesNotExist" },
      ];
    case "nvidia":
      return [{ key: gpuCountLabel, operator: "Exists" }];
    case "neuron":
      return [{ key: acceleratorCountLabel, operator: "Exists" }];
    case "windows":
      return [
        { key: osLabel, operator: "In", values: ["windows"] },
        ...(build === undefined ? [] : [{ key: windowsBuildLabel, operator: "In" as const, values: [build] }]),
      ];
  }
}

/** One image for each set of requirements. */
function best(candidates: readonly ResolvedImage[]): readonly ResolvedImage[] {
  const chosen = new Map<string, ResolvedImage>();
  for (const candidate of candidates) {
    const key = JSON.stringify(candidate.requirements);
    const other = chosen.get(key);
    if (other === undefined || isBetter(candidate, other)) chosen.set(key, candidate);
  }
  return [...chosen].sort(byAge).map(([, image]) => image);
}

/** Not deprecated, then newer, then the greater name, then the smaller id. */
function isBetter(a: ResolvedImage, b: ResolvedImage): boolean {
  if (a.deprecated !== b.deprecated) return b.deprecated;
  const newer = createdMs(a) - createdMs(b);
  if (newer !== 0) return newer > 0;
  return a.image.name === b.image.name ? a.image.id < b.image.id : a.image.name > b.image.name;
}

function byAge([aKey, a]: readonly [string, ResolvedImage], [bKey, b]: readonly [string, ResolvedImage]): number {
  return createdMs(b) - createdMs(a) || compareText(a.image.id, b.image.id) || compareText(aKey, bKey);
}

function createdMs({ image }: ResolvedImage): number {
  return parseTime(image.createdAt) ?? 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
