import { statSync } from "node:fs";
import { type Bytes, bytesMax, readBounded, readDescriptor } from "./bounded-read.ts";
import { filesBelow } from "./directory.ts";
import type { ManifestProblem } from "./problem.ts";

/** One text with manifests. */
export interface Source {
  /** Path as the user wrote it (with the rest of the way below a directory), or "stdin". */
  readonly file: string;
  readonly text: string;
  /** Named by the user, not found in a directory: then it must hold something. */
  readonly named: boolean;
}

/** Where the texts come from; tests give their own stdin. */
export interface Input {
  readonly readStdin: () => Buffer | Bytes;
}

export const processInput: Input = { readStdin: () => readDescriptor(0) };

/** The most that is kept of all files together: a directory that was not meant may hold gigabytes. */
const charactersMax = 256 * 1024 * 1024;

interface Found {
  readonly sources: Source[];
  readonly problems: ManifestProblem[];
  readonly seen: Set<string>;
  characters: number;
}

/**
 * The texts behind `-f` arguments: files, directories (all *.yaml, *.yml and *.json below, sorted by path), `-` for
 * stdin. A file that is reached twice is read once.
 */
export function readSources(
  paths: readonly string[],
  input: Input = processInput,
): { readonly sources: readonly Source[]; readonly problems: readonly ManifestProblem[] } {
  const found: Found = { sources: [], problems: [], seen: new Set(), characters: 0 };
  for (const path of paths) readPath(path, found, input);
  return found;
}

function readPath(path: string, found: Found, input: Input): void {
  if (path === "-") {
    if (found.seen.has("-")) return;
    found.seen.add("-");
    readFile("stdin", true, () => input.readStdin(), found);
    return;
  }
  if (path === "") {
    found.problems.push({ file: '-f ""', message: "names no file (give a file, a directory, or - for stdin)" });
    return;
  }
  if (/^https?:/.test(path)) {
    found.problems.push({ file: path, message: "is a URL (download it first, or pipe it: curl -sL URL | … -f -)" });
    return;
  }
  try {
    if (statSync(path).isDirectory()) readDirectory(path, found);
    else readNamed(path, true, found);
  } catch (error) {
    found.problems.push({ file: path, message: readingProblem(error) });
  }
}

function readDirectory(path: string, found: Found): void {
  const { files, problems } = filesBelow(path, readingProblem);
  found.problems.push(...problems);
  for (const file of files) readNamed(file, false, found);
}

function readNamed(path: string, named: boolean, found: Found): void {
  try {
    // Not by its path: what /dev/fd names has none.
    const { dev, ino } = statSync(path);
    if (found.seen.has(`${dev} ${ino}`)) return;
    found.seen.add(`${dev} ${ino}`);
    readFile(path, named, () => readBounded(path), found);
  } catch (error) {
    found.problems.push({ file: path, message: readingProblem(error) });
  }
}

const notText = "is not UTF-8 text (save it as UTF-8, or leave it out)";

function readFile(file: string, named: boolean, read: () => Buffer | Bytes, found: Found): void {
  try {
    const answer = read();
    const bytes: Bytes = Buffer.isBuffer(answer) ? { kind: "bytes", bytes: answer } : answer;
    const text = bytes.kind === "bytes" ? textOf(bytes.bytes) : undefined;
    if (bytes.kind === "too-large") {
      found.problems.push({ file, message: `more than ${mebibytes(bytesMax)} MiB, the most that is read` });
    } else if (text === undefined) found.problems.push({ file, message: notText });
    else keep({ file, text, named }, found);
  } catch (error) {
    found.problems.push({ file, message: readingProblem(error) });
  }
}

function keep(source: Source, found: Found): void {
  const before = found.characters;
  found.characters += source.text.length;
  if (found.characters <= charactersMax) found.sources.push(source);
  else if (before <= charactersMax) {
    const message = `with the files before it more than ${mebibytes(charactersMax)} MiB, the most that is read`;
    found.problems.push({ file: source.file, message });
  }
}

/** Undefined for binary content and other encodings. A byte order mark goes. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const meaningOfCode: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "may not be read (permission denied)",
  EPERM: "may not be read (permission denied)",
  ELOOP: "is a loop of links",
  ENXIO: "is no file that can be opened",
  EISDIR: "is a directory where a file was expected",
};

export function readingProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return meaningOfCode[code] ?? `cannot be read (${error instanceof Error ? error.message : String(error)})`;
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}
