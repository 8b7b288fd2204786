/** Karpenter counterpart: none; the API server drops such fields in silence, or warns whoever wrote them. */
import { isJsonObject } from "#api/problem.ts";
import { type Crd, type Schema, schemaOf } from "./crd-policy.ts";

/** Fields that are set and that this CRD's v1 does not know, as `spec.template.spec.colour`. The same one is named once. */
export function unknownFields(crd: Crd, part: { readonly [key: string]: unknown }): readonly string[] {
  const schema = schemaOf(crd);
  return schema === undefined ? [] : [...new Set(unknownIn(schema, part, ""))];
}

/** Recursion ends with the object: JSON has no cycles. */
function unknownIn(schema: Schema, value: unknown, at: string): readonly string[] {
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) return [];
  if (Array.isArray(value)) return value.flatMap((each) => unknownIn(schema.items ?? {}, each, `${at}[]`));
  if (!isJsonObject(value)) return [];
  const { properties, additionalProperties } = schema;
  return Object.entries(value).flatMap(([key, field]) => {
    const here = at === "" ? key : `${at}.${key}`;
    const known = properties !== undefined && Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (known !== undefined) return unknownIn(known, field, here);
    if (typeof additionalProperties === "object") return unknownIn(additionalProperties, field, here);
    return properties === undefined || additionalProperties === true ? [] : [here];
  });
}
