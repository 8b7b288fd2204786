import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
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
  readonly readStdin: () => Buffer;
}

export const processInput: Input = { readStdin: () => readFileSync(0) };

const manifestName = /[.](ya?ml|json)$/;
/** Bounds against a directory that was not meant (a home directory, a loop of links). */
const filesMax = 10_000;
const depthMax = 32;
const bytesMax = 128 * 1024 * 1024;

interface Found {
  readonly sources: Source[];
  readonly problems: ManifestProblem[];
  readonly seen: Set<string>;
}

/**
 * The texts behind `-f` arguments: files, directories (all *.yaml, *.yml and *.json below, sorted by path), `-` for
 * stdin. A file that is reached twice is read once.
 */
export function readSources(
  paths: readonly string[],
  input: Input = processInput,
): { readonly sources: readonly Source[]; readonly problems: readonly ManifestProblem[] } {
  const found: Found = { sources: [], problems: [], seen: new Set() };
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
  const files: string[] = [];
  const before = found.problems.length;
  collect(path, 0, files, found);
  if (files.length > filesMax) {
    found.problems.push({ file: path, message: `holds more than ${filesMax} manifests (name a directory below it)` });
    return;
  }
  if (files.length === 0 && found.problems.length === before) {
    found.problems.push({ file: path, message: "no manifests in this directory (files named *.yaml, *.yml, *.json)" });
  }
  for (const file of files.sort()) readNamed(file, false, found);
}

function collect(directory: string, depth: number, files: string[], found: Found): void {
  if (depth > depthMax || files.length > filesMax) return;
  for (const name of readdirSync(directory).sort()) {
    if (name.startsWith(".") || name === "node_modules") continue;
    const path = join(directory, name);
    try {
      if (statSync(path).isDirectory()) collect(path, depth + 1, files, found);
      else if (manifestName.test(name)) files.push(path);
    } catch (error) {
      found.problems.push({ file: path, message: readingProblem(error) });
    }
  }
}

function readNamed(path: string, named: boolean, found: Found): void {
  try {
    const real = realpathSync(path);
    if (found.seen.has(real)) return;
    found.seen.add(real);
    const { size } = statSync(real);
    if (size > bytesMax) {
      found.problems.push({
        file: path,
        message: `${mebibytes(size)} MiB is more than is read (${mebibytes(bytesMax)})`,
      });
      return;
    }
    readFile(path, named, () => readFileSync(path), found);
  } catch (error) {
    found.problems.push({ file: path, message: readingProblem(error) });
  }
}

function readFile(file: string, named: boolean, read: () => Buffer, found: Found): void {
  try {
    const text = textOf(read());
    if (text === undefined) {
      found.problems.push({ file, message: "is not UTF-8 text (save it as UTF-8, or leave it out)" });
      return;
    }
    found.sources.push({ file, text, named });
  } catch (error) {
    found.problems.push({ file, message: readingProblem(error) });
  }
}

/** Undefined for binary content and other encodings. A byte order mark goes. */
function textOf(bytes: Buffer): string | undefined {
  if (bytes.length > bytesMax || bytes.includes(0)) return undefined;
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
  EISDIR: "is a directory where a file was expected",
};

function readingProblem(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return meaningOfCode[code] ?? `cannot be read (${error instanceof Error ? error.message : String(error)})`;
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 1024 / 1024);
}
