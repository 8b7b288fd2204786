import { isMime, type MimePart, parseMime } from "./mime.ts";
import type { UserDataProblem } from "./problem.ts";

export const shellType = 'text/x-shellscript; charset="us-ascii"';
export const nodeConfigType = "application/node.eks.aws";

export type CustomParts =
  | { readonly kind: "parts"; readonly parts: readonly MimePart[] }
  | { readonly kind: "problems"; readonly problems: readonly UserDataProblem[] };

/** The user's text as parts: its own if it is MIME, else one of the type that it looks like. */
export function customParts(custom: string, family: "AL2" | "AL2023"): CustomParts {
  const text = custom.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  if (text.trim() === "") return { kind: "parts", parts: [] };
  const control = text.split("\n").findIndex(hasControlCharacter);
  if (control >= 0) return { kind: "problems", problems: [{ line: control + 1, message: "has a control character" }] };
  const answer: CustomParts = isMime(text) ? parseMime(text) : { kind: "parts", parts: [wrapped(text, family)] };
  if (answer.kind === "problems" || family === "AL2") return answer;
  const problems = answer.parts.filter(isNodeConfig).flatMap(nodeConfigProblems);
  return problems.length > 0 ? { kind: "problems", problems } : answer;
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
  return !text.startsWith("#!") && /^apiVersion:/m.test(text) && /^kind:/m.test(text) ? nodeConfigType : shellType;
}

function isNodeConfig({ headers }: MimePart): boolean {
  const type = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? "";
  return type.toLowerCase().startsWith(nodeConfigType);
}

/** What nodeadm would stumble over at boot; it reads one document a part, and fields below `spec`. */
function nodeConfigProblems({ body, line }: MimePart): readonly UserDataProblem[] {
  const lines = body.split("\n");
  const problems: UserDataProblem[] = [];
  const say = (index: number, message: string): void => {
    problems.push({ line: line + Math.max(index, 0), message });
  };
  const first = lines.findIndex((each) => each.trim() !== "" && !each.startsWith("#") && each.trimEnd() !== "---");
  const second = lines.findIndex((each, index) => index > first && each.trimEnd() === "---");
  const more = second < 0 ? "" : lines.slice(second + 1).join("");
  if (more.trim() !== "") say(second, "a part holds one NodeConfig; put the second one into a part of its own");
  const tab = lines.findIndex((each) => /^ *\t/.test(each));
  if (tab >= 0) say(tab, "YAML is not indented with tabs");
  const version = lines.find((each) => each.startsWith("apiVersion:"));
  if (version === undefined || !/^apiVersion: *["']?node\.eks\.aws\/v1alpha1["']? *(#.*)?$/.test(version)) {
    say(version === undefined ? first : lines.indexOf(version), "a NodeConfig has apiVersion: node.eks.aws/v1alpha1");
  }
  const kind = lines.find((each) => each.startsWith("kind:"));
  if (kind === undefined || !/^kind: *["']?NodeConfig["']? *(#.*)?$/.test(kind)) {
    say(
      kind === undefined ? first : lines.indexOf(kind),
      "a part of type application/node.eks.aws has kind: NodeConfig",
    );
  }
  return problems;
}

function hasControlCharacter(line: string): boolean {
  for (let i = 0; i < line.length; i++) {
    const code = line.charCodeAt(i);
    if (code < 0x20 && code !== 0x09) return true;
  }
  return false;
}
