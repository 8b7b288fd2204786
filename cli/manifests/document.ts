import { type Document, LineCounter, type Node, parseAllDocuments } from "yaml";
import { type FieldPath, lineOfField } from "./field-line.ts";
import { JsonLines } from "./json-lines.ts";
import { jsonPieces } from "./json-stream.ts";
import { kubernetesYaml } from "./kubernetes-yaml.ts";
import type { ManifestProblem } from "./problem.ts";
import type { Source } from "./source.ts";

/** One document as plain data, and where its fields stand. */
export interface ManifestDocument {
  readonly file: string;
  readonly value: unknown;
  /** The 1-based line of a field; [] is the document's start. */
  readonly lineOf: (path: FieldPath) => number;
}

export interface Documents {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly ManifestProblem[];
}

/** Reading YAML with its positions takes about a hundred times the text in memory; JSON does not. */
const yamlCharactersMax = 12 * 1024 * 1024;
/** Kubernetes objects nest about 30 deep; what is deeper only exhausts a stack. */
const depthMax = 200;
/** An anchor repeated over and over makes a small file huge. */
const aliasesMax = 1_000;

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

const tooDeep = `nested more than ${depthMax} levels deep`;

function yamlDocuments({ file, text }: Source): Documents {
  if (text.length > yamlCharactersMax) {
    return {
      documents: [],
      problems: [
        { file, message: "more than 12 MiB that is not strictly JSON (kubectl get … -o json is read up to 128 MiB)" },
      ],
    };
  }
  const lineCounter = new LineCounter();
  let parsed: readonly Document.Parsed[];
  try {
    const answer = parseAllDocuments(text, { ...kubernetesYaml, lineCounter });
    parsed = Array.isArray(answer) ? answer : [];
  } catch (error) {
    if (error instanceof RangeError) return { documents: [], problems: [{ file, message: tooDeep }] };
    throw error;
  }
  const documents: ManifestDocument[] = [];
  const problems: ManifestProblem[] = [];
  for (const document of parsed) {
    const one = yamlDocument(file, text, document, lineCounter);
    if (one === undefined) continue;
    if ("message" in one) problems.push(one);
    else documents.push(one);
  }
  return { documents, problems };
}

/** The first syntax error of a document is told, since the others mostly follow from it. */
function yamlDocument(
  file: string,
  text: string,
  document: Document.Parsed,
  lineCounter: LineCounter,
): ManifestDocument | ManifestProblem | undefined {
  const [error] = document.errors;
  const contents: Node | null = document.contents;
  const startLine = lineOfField(contents, [], lineCounter);
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    // The reader answers its own exhausted stack as a syntax error.
    if (error.message.includes("call stack")) return { file, line, message: tooDeep };
    return { file, line, message: syntaxProblem(error.message, col, text) };
  }
  if (contents === null) return undefined;
  try {
    const value: unknown = document.toJS({ maxAliasCount: aliasesMax });
    if (value === null) return undefined;
    if (deeperThan(value, depthMax)) return { file, line: startLine, message: tooDeep };
    return { file, value, lineOf: (path) => lineOfField(contents, path, lineCounter) };
  } catch (problem) {
    // ReferenceError: an alias without anchor, or too many of them; RangeError: too deep. Both are the user's text.
    if (problem instanceof ReferenceError) return { file, line: startLine, message: problem.message };
    if (problem instanceof RangeError) return { file, line: startLine, message: tooDeep };
    throw problem;
  }
}

function syntaxProblem(message: string, column: number, text: string): string {
  const template = text.includes("{{") ? "; this looks like a template: render it first, as `helm template` does" : "";
  return `not readable as YAML at column ${column}: ${message}${template}`;
}

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => deeperThan(child, levels - 1));
}
