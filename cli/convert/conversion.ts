import type { Finding } from "#api/conversion/finding.ts";
import { convertManifests } from "#api/conversion/manifest-conversion.ts";
import { itemsOf } from "#api/parse.ts";
import { isJsonObject } from "#api/problem.ts";
import { documentsOf, type ManifestDocument } from "../manifests/document.ts";
import type { ManifestProblem } from "../manifests/problem.ts";
import type { Source } from "../manifests/source.ts";
import { documentTexts } from "./document-text.ts";

export interface ConvertedFile {
  readonly file: string;
  readonly text: string;
  readonly isChanged: boolean;
}

/** A finding and where its object stands. */
export interface PlacedFinding extends Finding {
  readonly file: string;
  readonly line: number;
  /** `NodePool/default`. */
  readonly object: string;
}

export type Converted =
  | { readonly kind: "problems"; readonly problems: readonly ManifestProblem[] }
  | {
      readonly kind: "converted";
      readonly files: readonly ConvertedFile[];
      readonly findings: readonly PlacedFinding[];
    };

interface Place {
  readonly document: ManifestDocument;
  readonly path: readonly (string | number)[];
  readonly value: unknown;
}

/** Everything at once, since what concerns a pool may be in another file than its class. */
export function convertSources(sources: readonly Source[]): Converted {
  const read = sources.map((source) => ({ source, ...documentsOf(source) }));
  const problems = read.flatMap((one) => one.problems);
  if (problems.length > 0) return { kind: "problems", problems };
  const places = read
    .flatMap(({ documents }) => documents)
    .flatMap((document) => itemsOf(document.value).map(({ path, value }): Place => ({ document, path, value })));
  const answers = convertManifests(places.map(({ value }) => value));
  const findings = places.flatMap((place, index) => (answers[index]?.findings ?? []).map((one) => placed(one, place)));
  const inDocument = new Map<ManifestDocument, ConvertedItem[]>();
  for (const [index, place] of places.entries()) {
    const item = { place, objects: answers[index]?.objects ?? [] };
    const items = inDocument.get(place.document);
    if (items === undefined) inDocument.set(place.document, [item]);
    else items.push(item);
  }
  const files = read.map(({ source, documents }): ConvertedFile => {
    const after = documents.map((document) => valuesAfter(document, inDocument.get(document) ?? []));
    const isChanged = documents.some(
      (document, index) => after[index]?.length !== 1 || after[index][0] !== document.value,
    );
    const texts = documents.flatMap((document, index) => documentTexts(document, after[index] ?? []));
    return { file: source.file, isChanged, text: isChanged ? withLineEnds(joined(texts), source.text) : source.text };
  });
  return { kind: "converted", files, findings };
}

/** A file of a Windows editor stays one. */
function withLineEnds(text: string, before: string): string {
  return before.includes("\r\n") ? text.replaceAll(/\r?\n/g, "\r\n") : text;
}

interface ConvertedItem {
  readonly place: Place;
  readonly objects: readonly unknown[];
}

/** What a document holds afterwards: the objects, or its list with the objects in it. */
function valuesAfter(document: ManifestDocument, items: readonly ConvertedItem[]): readonly unknown[] {
  const [first] = items;
  if (items.length === 1 && first !== undefined && first.place.path.length === 0) return first.objects;
  if (items.every(isUnchanged) || !isJsonObject(document.value)) return [document.value];
  // A typed list is of one version of one kind; kubectl writes one level of list, deeper ones are flattened into it.
  return [{ ...document.value, apiVersion: "v1", kind: "List", items: items.flatMap(({ objects }) => objects) }];
}

function isUnchanged({ place, objects }: ConvertedItem): boolean {
  return objects.length === 1 && objects[0] === place.value;
}

export function joined(texts: readonly string[]): string {
  return texts.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("---\n");
}

function placed(finding: Finding, { document, path, value }: Place): PlacedFinding {
  const { kind, metadata } = isJsonObject(value) ? value : {};
  const name = isJsonObject(metadata) ? metadata.name : undefined;
  const object = [kind, name].filter((part) => typeof part === "string").join("/");
  return { ...finding, file: document.file, line: document.lineOf([...path, ...stepsOf(finding.field)]), object };
}

/** `data[a.b].c[2]` as steps: bracketed text is one key. */
function stepsOf(field: string): readonly (string | number)[] {
  return [...field.matchAll(/\[([^\]]*)\]|([^.[\]]+)/g)].map(([, bracketed, plain]) =>
    bracketed !== undefined && /^\d+$/.test(bracketed) ? Number(bracketed) : (bracketed ?? plain ?? ""),
  );
}
