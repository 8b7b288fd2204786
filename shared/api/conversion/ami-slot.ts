/**
 * Karpenter counterpart: pkg/apis/v1/ec2nodeclass_conversion.go of v1.0, image family and selector terms. It differs: a
 * pinned alias rides whole.
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import { annotationOf } from "./annotations.ts";
import { type JsonObject, textOr } from "./json-fields.ts";
import type { Slot, SlotValue } from "./slot.ts";

/** Families whose newest image v1beta1 took when no terms were given, and the alias that says so in v1. */
export const aliasOfFamily: Readonly<Record<string, string>> = {
  AL2: "al2",
  AL2023: "al2023",
  Bottlerocket: "bottlerocket",
  Windows2019: "windows2019",
  Windows2022: "windows2022",
  Windows2025: "windows2025",
};

export const ubuntuFamily = "Ubuntu";
/** Karpenter 1.0's note of the version that an alias was pinned to. */
export const aliasVersionAnnotation = "compatibility.karpenter.k8s.aws/v1-alias-version";
/** No image has this id, so that the class is not ready until somebody says which one is meant. */
const noImage = "ami-00000000000000000";

export const amiSlot: Slot = {
  name: "ami",
  beta: [
    ["spec", "amiFamily"],
    ["spec", "amiSelectorTerms"],
  ],
  v1: [
    ["spec", "amiFamily"],
    ["spec", "amiSelectorTerms"],
  ],
  up: upgraded,
  down: downgraded,
};

function upgraded({ amiFamily, amiSelectorTerms }: SlotValue, object: JsonObject): SlotValue {
  const family = textOr(amiFamily, "Custom");
  const hasTerms = Array.isArray(amiSelectorTerms) ? amiSelectorTerms.length > 0 : amiSelectorTerms !== undefined;
  const terms = hasTerms && amiSelectorTerms !== undefined ? { amiSelectorTerms } : {};
  // Ubuntu's images start as AL2's do.
  if (family === ubuntuFamily)
    return { amiFamily: "AL2", ...(hasTerms ? terms : { amiSelectorTerms: [{ id: noImage }] }) };
  const alias = aliasOfFamily[family];
  if (hasTerms || alias === undefined) return { amiFamily: family, ...terms };
  const version = annotationOf(object, aliasVersionAnnotation) ?? "latest";
  return { amiSelectorTerms: [{ alias: `${alias}@${version}` }] };
}

function downgraded({ amiFamily, amiSelectorTerms }: SlotValue): SlotValue {
  const terms = Array.isArray(amiSelectorTerms) ? amiSelectorTerms : [];
  const alias = terms.map(aliasOf).find((one) => one !== undefined);
  const family = textOr(amiFamily, alias === undefined ? "Custom" : familyOf(alias));
  const left = terms.filter((term) => aliasOf(term) === undefined).map(withoutParameter);
  return { amiFamily: family, ...(left.length === 0 ? {} : { amiSelectorTerms: left }) };
}

/** The image family of `al2023@v20240807`; "Custom" when the alias is of none. */
function familyOf(alias: string): string {
  const [name] = alias.split("@");
  return Object.keys(aliasOfFamily).find((family) => aliasOfFamily[family] === name) ?? "Custom";
}

function aliasOf(term: Json): string | undefined {
  return isJsonObject(term) && typeof term.alias === "string" ? term.alias : undefined;
}

function withoutParameter(term: Json): Json {
  if (!isJsonObject(term)) return term;
  const { ssmParameter: _, ...rest } = term;
  return rest;
}
