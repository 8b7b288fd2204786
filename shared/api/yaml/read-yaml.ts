import { type Document, isCollection, LineCounter, type Node, parseAllDocuments, visit } from "yaml";
import { type FieldPath, lineOfField } from "./field-line.ts";
import { kubernetesYaml } from "./kubernetes-yaml.ts";

/** One document of a text, as plain data. */
export interface YamlDocument {
  readonly value: unknown;
  /** From 1; of the nearest parent where the field is absent. */
  readonly lineOf: (path: FieldPath) => number;
  /** With comments and positions. */
  readonly yaml: Document.Parsed;
  /** As it was written, without the line that parts it from the document before. */
  readonly text: string;
}

export interface YamlProblem {
  /** From 1; absent when the whole text is meant. */
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** Kubernetes objects nest about 30 deep; what is deeper only exhausts a stack. */
export const depthMax = 200;
/** An anchor repeated over and over makes a small file huge. */
const aliasesMax = 1_000;
export const tooDeep = `nested more than ${depthMax} levels deep`;

/** The documents of a text that are not empty, each read or with its first problem. Never throws. */
export function readYaml(text: string): readonly (YamlDocument | YamlProblem)[] {
  const lineCounter = new LineCounter();
  let parsed: readonly Document.Parsed[];
  try {
    const answer = parseAllDocuments(text, { ...kubernetesYaml, lineCounter });
    parsed = Array.isArray(answer) ? answer : [];
  } catch (error) {
    if (error instanceof RangeError) return [{ message: tooDeep }];
    throw error;
  }
  let end = 0;
  return parsed.flatMap((document) => {
    const own = text.slice(end, document.range[2]).replace(/^---[^\S\n]*\n/, "");
    end = document.range[2];
    return documentOf(document, own, lineCounter) ?? [];
  });
}

/** The first syntax error of a document is told, since the others mostly follow from it. */
function documentOf(
  document: Document.Parsed,
  text: string,
  lineCounter: LineCounter,
): YamlDocument | YamlProblem | undefined {
  const [error] = document.errors;
  const contents: Node | null = document.contents;
  const line = lineOfField(contents, [], lineCounter);
  if (error !== undefined) {
    const found = lineCounter.linePos(error.pos[0]);
    // The reader answers its own exhausted stack as a syntax error.
    if (error.message.includes("call stack")) return { line: found.line, message: tooDeep };
    return { line: found.line, column: found.col, message: error.message };
  }
  if (contents === null) return undefined;
  const keyAt = collectionKeyAt(document);
  if (keyAt !== undefined) {
    const found = lineCounter.linePos(keyAt);
    return { line: found.line, column: found.col, message: "a key must be a text, and this one is a list or a map" };
  }
  try {
    const value: unknown = document.toJS({ maxAliasCount: aliasesMax });
    if (value === null) return undefined;
    if (deeperThan(value, depthMax)) return { line, message: tooDeep };
    return { value, lineOf: (path) => lineOfField(contents, path, lineCounter), yaml: document, text };
  } catch (problem) {
    // ReferenceError: an alias without anchor, or too many of them; RangeError: too deep. Both are the user's text.
    if (problem instanceof ReferenceError) return { line, message: problem.message };
    if (problem instanceof RangeError) return { line, message: tooDeep };
    throw problem;
  }
}

/** Where such a key begins: no manifest has one, and a template's `{{ … }}` without quotes reads as one. */
function collectionKeyAt(document: Document.Parsed): number | undefined {
  let at: number | undefined;
  visit(document, {
    Pair: (_, { key }) => {
      if (!isCollection(key)) return undefined;
      at = key.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return at;
}

export function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((child) => deeperThan(child, levels - 1));
}
