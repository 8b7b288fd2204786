/**
 * Selector maps of AWSNodeTemplate (v1alpha1) as the lists of terms that followed them. In a map every entry narrows, a
 * value may list several by commas, and a few keys mean something else than a tag.
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import type { JsonObject } from "./json-fields.ts";

/** One comma list in each of two entries already makes a product; more than so many terms v1 refuses. */
const termsMax = 30;

/** Keys that select by something else than a tag, and the term's field. Both spellings of each were read. */
const specialKeys: Readonly<Record<string, string>> = {
  "aws-ids": "id",
  "aws::ids": "id",
  "aws::name": "name",
  "aws::owners": "owner",
};

export type SelectorTerms =
  | { readonly kind: "terms"; readonly terms: readonly JsonObject[] }
  | { readonly kind: "refused"; readonly message: string };

/** `{ a: "x,y", b: "z" }` is two terms. Ids stand alone: they name what is meant whatever the tags say. */
export function selectorTerms(selector: Json | undefined): SelectorTerms {
  if (selector === undefined) return { kind: "terms", terms: [] };
  if (!isJsonObject(selector)) return { kind: "refused", message: "must be a map of tags" };
  let terms: readonly JsonObject[] = [{}];
  for (const [key, value] of Object.entries(selector)) {
    const values = String(value)
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "");
    if (values.length === 0) return { kind: "refused", message: `${key} selects nothing: its value is empty` };
    terms = terms.flatMap((term) => values.map((one) => extended(term, key, one)));
    if (terms.length > termsMax) return { kind: "refused", message: `is more than ${termsMax} terms; write them out` };
  }
  const ids = terms.filter(({ id }) => id !== undefined);
  const narrowed = ids.filter((term) => Object.keys(term).length > 1);
  if (narrowed.length > 0) {
    return { kind: "refused", message: "selects by id and by other things at once, which a term cannot; keep the ids" };
  }
  return { kind: "terms", terms: Object.keys(selector).length === 0 ? [] : terms };
}

function extended(term: JsonObject, key: string, value: string): JsonObject {
  const field = specialKeys[key];
  if (field !== undefined) return { ...term, [field]: value };
  return { ...term, tags: { ...(isJsonObject(term.tags) ? term.tags : {}), [key]: value } };
}
