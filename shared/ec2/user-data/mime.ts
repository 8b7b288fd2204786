/**
 * Karpenter counterpart: pkg/providers/amifamily/bootstrap/mime. It differs: what a mail reader would forgive is refused
 * with the line it is on, since cloud-init does not forgive it either and a node that does not join tells nobody why.
 */
import type { UserDataProblem } from "./problem.ts";

export interface MimePart {
  /** "Content-Type" first; as written, one a line. */
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string;
  /** Of its first line in the user's text. */
  readonly line: number;
}

export type MimeAnswer =
  | { readonly kind: "parts"; readonly parts: readonly MimePart[] }
  | { readonly kind: "problems"; readonly problems: readonly UserDataProblem[] };

type Header = MimePart["headers"][number];
interface Headers {
  readonly headers: readonly Header[];
  /** Index of the first line after the blank one. */
  readonly next: number;
}

const boundariesTried = 100;
/** They look like headers, and begin a body that no blank line was put before. */
const nodeConfigKeys = ["apiVersion", "kind", "spec"];

/** User data that says of itself that it is MIME. */
export function isMime(text: string): boolean {
  return /^\s*(MIME-Version|Content-Type):/i.test(text);
}

/** The parts of a multipart document; carriage returns are gone from it already. */
export function parseMime(text: string): MimeAnswer {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() !== "");
  const top = readHeaders(lines, start);
  if ("message" in top) return { kind: "problems", problems: [top] };
  const type = top.headers.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? "";
  if (!/^multipart\//i.test(type)) {
    return problem(
      start,
      type === "" ? "a MIME document needs a Content-Type" : `Content-Type ${type} is not multipart`,
    );
  }
  const boundary = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(type);
  const mark = boundary?.[1] ?? boundary?.[2];
  if (mark === undefined) return problem(start, "the Content-Type names no boundary");
  return readParts(lines, top.next, `--${mark}`);
}

function readParts(lines: readonly string[], from: number, mark: string): MimeAnswer {
  const parts: MimePart[] = [];
  let at = from;
  while (at < lines.length && !isMark(lines[at], mark)) at += 1;
  if (at === lines.length) return problem(from - 1, `the boundary ${mark} does not occur in the text`);
  while (at < lines.length && !isEnd(lines[at], mark)) {
    const read = readHeaders(lines, at + 1);
    if ("message" in read) return { kind: "problems", problems: [read] };
    let end = read.next;
    while (end < lines.length && !isMark(lines[end], mark)) end += 1;
    if (end === lines.length) return problem(lines.length - 1, `the document ends without ${mark}--`);
    parts.push({ headers: read.headers, body: lines.slice(read.next, end).join("\n"), line: read.next + 1 });
    at = end;
  }
  return { kind: "parts", parts };
}

/** Header lines up to the blank one; a line that begins with a space continues the one before. */
function readHeaders(lines: readonly string[], from: number): Headers | (UserDataProblem & { readonly line: number }) {
  const headers: { name: string; value: string }[] = [];
  for (let at = from; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "") return { headers, next: at + 1 };
    const last = headers.at(-1);
    if (/^[ \t]/.test(line) && last !== undefined) {
      last.value = `${last.value} ${line.trim()}`;
      continue;
    }
    const match = /^([!-9;-~]+):[ \t]*(.*)$/.exec(line);
    if (match === null || nodeConfigKeys.includes(match[1] ?? "")) {
      const message = `"${line.slice(0, 40)}" is no header: a header has a colon, and a blank line ends the headers`;
      return { line: at + 1, message };
    }
    headers.push({ name: match[1] ?? "", value: (match[2] ?? "").trim() });
  }
  return { line: lines.length, message: "the headers do not end: a blank line must follow them" };
}

function isMark(line: string | undefined, mark: string): boolean {
  const text = line?.trimEnd();
  return text === mark || text === `${mark}--`;
}

function isEnd(line: string | undefined, mark: string): boolean {
  return line?.trimEnd() === `${mark}--`;
}

function problem(index: number, message: string): MimeAnswer {
  return { kind: "problems", problems: [{ line: index + 1, message }] };
}

/** Parts as one document under Karpenter's boundary, two slashes; another one where a body has a line like it. */
export function composeMime(parts: readonly Pick<MimePart, "headers" | "body">[]): string {
  const bodies = parts.map(({ body }) => `\n${body}`);
  let boundary = "//";
  for (let i = 1; i < boundariesTried && bodies.some((body) => body.includes(`\n--${boundary}`)); i++)
    boundary = `//${i}`;
  const texts = parts.map(({ headers, body }) => {
    const lines = headers.map(({ name, value }) => `${name}: ${value}`);
    return `--${boundary}\n${lines.join("\n")}\n\n${body}${body.endsWith("\n") ? "" : "\n"}`;
  });
  return `MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="${boundary}"\n\n${texts.join("")}--${boundary}--\n`;
}
