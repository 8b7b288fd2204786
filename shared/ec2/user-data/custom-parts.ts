/**
 * Karpenter counterpart: pkg/providers/amifamily/bootstrap/eksbootstrap.go, the merging of MIME parts. It differs: what
 * cannot be merged is told with its line.
 */
import { isYamlMapping, nodeConfigProblems } from "#api/ec2-v1/node-config.ts";
import { isMime, type MimePart, parseMime } from "./mime.ts";
import type { UserDataProblem } from "./problem.ts";

export const shellType = 'text/x-shellscript; charset="us-ascii"';
export const nodeConfigType = "application/node.eks.aws";

export type CustomParts =
  | { readonly kind: "parts"; readonly parts: readonly MimePart[] }
  | { readonly kind: "problems"; readonly problems: readonly UserDataProblem[] };

/** The same text is read for every launch of its class. */
const rememberedMax = 16;
const remembered = new Map<string, CustomParts>();

/** The user's text as parts: its own if it is MIME, else one of the type that it looks like. */
export function customParts(custom: string, family: "AL2" | "AL2023"): CustomParts {
  const key = `${family} ${custom}`;
  const known = remembered.get(key);
  if (known !== undefined) return known;
  const answer = readParts(custom, family);
  const oldest = remembered.keys().next();
  if (remembered.size >= rememberedMax && oldest.done !== true) remembered.delete(oldest.value);
  remembered.set(key, answer);
  return answer;
}

function readParts(custom: string, family: "AL2" | "AL2023"): CustomParts {
  // A mark of the byte order, which some editors write, is no part of a script.
  const text = custom
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .replaceAll("\r", "\n");
  if (text.trim() === "") return { kind: "parts", parts: [] };
  const control = text.split("\n").findIndex(hasControlCharacter);
  if (control >= 0) return { kind: "problems", problems: [{ line: control + 1, message: "has a control character" }] };
  const answer: CustomParts = isMime(text) ? parseMime(text) : { kind: "parts", parts: [wrapped(text, family)] };
  if (answer.kind === "problems" || family === "AL2") return answer;
  const problems = answer.parts.filter(isNodeConfig).flatMap(problemsOf);
  return problems.length > 0 ? { kind: "problems", problems } : answer;
}

/** In lines of the user's whole text. */
function problemsOf({ body, line: first }: MimePart): readonly UserDataProblem[] {
  return nodeConfigProblems(body).map(({ line, message }) => ({ line: first - 1 + line, message }));
}

function wrapped(text: string, family: "AL2" | "AL2023"): MimePart {
  return {
    headers: [{ name: "Content-Type", value: family === "AL2023" ? typeOf(text) : shellType }],
    body: text,
    line: 1,
  };
}

/** Karpenter: what reads as a YAML mapping is a NodeConfig, all else a script. */
function typeOf(text: string): string {
  if (/^#cloud-config\b/.test(text)) return 'text/cloud-config; charset="us-ascii"';
  if (/^## *template: *jinja\b/.test(text)) return 'text/jinja2; charset="us-ascii"';
  return !text.startsWith("#!") && isNodeConfigText(text) ? nodeConfigType : shellType;
}

/** A mapping, or what was meant to be one: a slip in it must not make a script of it. */
function isNodeConfigText(text: string): boolean {
  return (/^apiVersion:/m.test(text) && /^kind:/m.test(text)) || isYamlMapping(text);
}

/** One that is here to be read: a part that is encoded is checked by nobody before the node. */
function isNodeConfig(part: MimePart): boolean {
  const encoding = header(part, "content-transfer-encoding");
  return header(part, "content-type").startsWith(nodeConfigType) && !/^(base64|quoted-printable)$/.test(encoding);
}

function header({ headers }: MimePart, name: string): string {
  return (headers.find((each) => each.name.toLowerCase() === name)?.value ?? "").toLowerCase();
}

function hasControlCharacter(line: string): boolean {
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code < 0x20 && code !== 0x09) return true;
  }
  return false;
}
