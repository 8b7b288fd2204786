/**
 * Karpenter counterpart: the YAML parse of pkg/providers/amifamily/bootstrap/nodeadm.go. It differs: the text is read by
 * its lines, as far as its top level goes, since no package is at hand here; what is wrong deeper in is not found.
 */
import type { MimePart } from "./mime.ts";
import type { UserDataProblem } from "./problem.ts";

const version = "node.eks.aws/v1alpha1";
const topKey = /^(["']?)([A-Za-z][\w.-]*)\1[ \t]*:(?:[ \t]+(.*))?$/;

interface TopKey {
  readonly name: string;
  readonly value: string;
  readonly index: number;
}

/** Karpenter: what reads as a YAML mapping is a NodeConfig, all else a script. */
export function isMapping(text: string): boolean {
  if (jsonObject(text) !== undefined) return true;
  const lines = text.split("\n");
  if (/^apiVersion:/m.test(text) && /^kind:/m.test(text)) return true;
  const top = lines.filter(isTopLine);
  return top.length > 0 && top.every((line) => topKey.test(line));
}

/** What nodeadm would stumble over at boot; it reads one document a part. */
export function nodeConfigProblems({ body, line }: MimePart): readonly UserDataProblem[] {
  const object = jsonObject(body);
  if (object !== undefined) return jsonProblems(object, line);
  const lines = body.split("\n");
  const first = Math.max(lines.findIndex(isTopLine), 0);
  const flow = /^[{[]/.test(lines[first] ?? "");
  const found: { readonly index: number; readonly message: string }[] = [
    ...documentProblems(lines, first),
    ...(flow ? [] : keyProblems(lines, first)),
  ];
  return found.map(({ index, message }) => ({ line: line + index, message }));
}

function documentProblems(lines: readonly string[], first: number) {
  const second = lines.findIndex((line, index) => index > first && /^(---|\.\.\.)([ \t]|$)/.test(line));
  const hasMore = second >= 0 && lines.slice(second + 1).some(isTopLine);
  const tab = lines.findIndex((line) => /^ *\t+[^\s]/.test(line));
  return [
    ...(hasMore
      ? [{ index: second, message: "a part holds one NodeConfig; put the second one into a part of its own" }]
      : []),
    ...(tab >= 0 ? [{ index: tab, message: "YAML is not indented with tabs" }] : []),
  ];
}

function keyProblems(lines: readonly string[], first: number) {
  const end = lines.findIndex((line, index) => index > first && /^(---|\.\.\.)([ \t]|$)/.test(line));
  const keys = lines.slice(0, end < 0 ? lines.length : end).flatMap(topKeyOf);
  const twice = keys.find(({ name, index }) => keys.some((other) => other.name === name && other.index < index));
  const versionKey = keys.find(({ name }) => name === "apiVersion");
  const kind = keys.find(({ name }) => name === "kind");
  return [
    ...(twice === undefined
      ? []
      : [{ index: twice.index, message: `${twice.name} is there twice: a part holds one NodeConfig` }]),
    ...(versionKey?.value === version
      ? []
      : [{ index: versionKey?.index ?? first, message: `a NodeConfig has apiVersion: ${version}` }]),
    ...(kind?.value === "NodeConfig"
      ? []
      : [{ index: kind?.index ?? first, message: "a part of type application/node.eks.aws has kind: NodeConfig" }]),
  ];
}

function topKeyOf(line: string, index: number): readonly TopKey[] {
  const match = topKey.exec(line);
  if (match === null) return [];
  const value = (match[3] ?? "").replace(/(^|[ \t]+)#.*$/, "").trim();
  return [{ name: match[2] ?? "", value: value.replace(/^(["'])(.*)\1$/, "$2"), index }];
}

/** Not blank, not indented, no comment and no mark of a document's begin or end. */
function isTopLine(line: string): boolean {
  return /^[^\s#]/.test(line) && !/^(---|\.\.\.)([ \t]|$)/.test(line);
}

function jsonProblems(object: Readonly<Record<string, unknown>>, line: number): readonly UserDataProblem[] {
  return [
    ...(object.apiVersion === version ? [] : [{ line, message: `a NodeConfig has apiVersion: ${version}` }]),
    ...(object.kind === "NodeConfig"
      ? []
      : [{ line, message: "a part of type application/node.eks.aws has kind: NodeConfig" }]),
  ];
}

/** JSON is YAML. */
function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
