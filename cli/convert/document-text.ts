import { stringify } from "yaml";
import { sameJson } from "#api/same-json.ts";
import type { ManifestDocument } from "../manifests/document.ts";
import { yamlStyle } from "./yaml-style.ts";
import { updateDocument } from "./yaml-update.ts";

/** Long lines stay as long as they are. */
const written = { lineWidth: 0 } as const;

/**
 * The texts of what takes a document's place. The first keeps the document's comments and order; JSON stays JSON. A
 * document that says the same as before keeps its text.
 */
export function documentTexts(document: ManifestDocument, after: readonly unknown[]): readonly string[] {
  const [first, ...others] = after;
  if (after.length === 0) return [];
  return [firstText(document, first), ...others.map((value) => newText(document, value))];
}

function firstText(document: ManifestDocument, after: unknown): string {
  const { yaml, value, text } = document;
  if (text !== undefined && sameJson(value, after)) return text;
  if (yaml === undefined) return newText(document, after);
  if (!updateDocument(yaml, after)) return stringify(after, written);
  yaml.directives.docStart = null;
  return yaml.toString({ ...written, ...yamlStyle(text ?? "") });
}

function newText({ yaml }: ManifestDocument, value: unknown): string {
  return yaml === undefined ? `${JSON.stringify(value, null, 2)}\n` : stringify(value, written);
}
