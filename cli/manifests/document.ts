import type { FieldPath } from "#api/yaml/field-line.ts";
import { deeperThan, depthMax, readYaml, tooDeep, type YamlDocument, type YamlProblem } from "#api/yaml/read-yaml.ts";
import { JsonLines } from "./json-lines.ts";
import { jsonPieces } from "./json-stream.ts";
import type { ManifestProblem } from "./problem.ts";
import type { Source } from "./source.ts";

/** One document as plain data, and where its fields stand. */
export interface ManifestDocument {
  readonly file: string;
  readonly value: unknown;
  /** The 1-based line of a field; [] is the document's start. */
  readonly lineOf: (path: FieldPath) => number;
  /** The document with its comments and positions; absent when it is JSON. */
  readonly yaml?: YamlDocument["yaml"];
  /** As it was written; absent when it is JSON. */
  readonly text?: string;
}

export interface Documents {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly ManifestProblem[];
}

/** Reading YAML with its positions takes about a hundred times the text in memory; JSON does not. */
const yamlCharactersMax = 12 * 1024 * 1024;

/** The documents of one text: JSON values or YAML documents. Empty ones are left out. */
export function documentsOf(source: Source): Documents {
  const read = /^\s*[{[]/.test(source.text) ? (jsonDocuments(source) ?? yamlDocuments(source)) : yamlDocuments(source);
  if (source.named && read.documents.length === 0 && read.problems.length === 0) {
    return { documents: [], problems: [{ file: source.file, message: "no manifest in it: it is empty" }] };
  }
  return read;
}

/** Undefined when the text is not strictly JSON: YAML's reader then says where it goes wrong. */
function jsonDocuments({ file, text }: Source): Documents | undefined {
  const pieces = jsonPieces(text);
  if (pieces === undefined) return undefined;
  const documents: ManifestDocument[] = [];
  const problems: ManifestProblem[] = [];
  for (const piece of pieces) {
    let value: unknown;
    try {
      value = JSON.parse(piece.text);
    } catch {
      return undefined;
    }
    const lines = new JsonLines(piece.text);
    if (deeperThan(value, depthMax)) problems.push({ file, line: piece.line, message: tooDeep });
    else documents.push({ file, value, lineOf: (path) => piece.line - 1 + lines.lineOf(path) });
  }
  return { documents, problems };
}

function yamlDocuments({ file, text }: Source): Documents {
  if (text.length > yamlCharactersMax) {
    return {
      documents: [],
      problems: [
        { file, message: "more than 12 MiB that is not strictly JSON (kubectl get … -o json is read up to 128 MiB)" },
      ],
    };
  }
  const documents: ManifestDocument[] = [];
  const problems: ManifestProblem[] = [];
  for (const one of readYaml(text)) {
    if ("message" in one) problems.push(manifestProblem(file, text, one));
    else documents.push({ file, ...one });
  }
  return { documents, problems };
}

function manifestProblem(file: string, text: string, { line, column, message }: YamlProblem): ManifestProblem {
  const template = text.includes("{{") ? "; this looks like a template: render it first, as `helm template` does" : "";
  return {
    file,
    ...(line === undefined ? {} : { line }),
    message: column === undefined ? message : `not readable as YAML at column ${column}: ${message}${template}`,
  };
}
