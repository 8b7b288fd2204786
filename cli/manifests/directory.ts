import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";

const manifestName = /[.](ya?ml|json)$/;
/** Bounds against a directory that was not meant (`/`, a home directory, a loop of links). */
const filesMax = 10_000;
const entriesMax = 50_000;
const depthMax = 32;

export interface DirectoryFiles {
  /** Paths of the manifests below, sorted. */
  readonly files: readonly string[];
  readonly problems: readonly { readonly file: string; readonly message: string }[];
}

interface Walk {
  readonly files: string[];
  readonly problems: { readonly file: string; readonly error: unknown }[];
  /** Directories by device and number: a link may lead back up. */
  readonly visited: Set<string>;
  entries: number;
}

/** All *.yaml, *.yml and *.json below a directory; none of them when there are too many to have been meant. */
export function filesBelow(path: string, problemOf: (error: unknown) => string): DirectoryFiles {
  const walk: Walk = { files: [], problems: [], visited: new Set(), entries: 0 };
  collect(path, 0, walk);
  const whole = (message: string): DirectoryFiles => ({ files: [], problems: [{ file: path, message }] });
  const narrower = "(name a directory below it, or files)";
  if (walk.entries > entriesMax) return whole(`holds more than ${entriesMax} files and directories ${narrower}`);
  if (walk.files.length > filesMax) return whole(`holds more than ${filesMax} manifests ${narrower}`);
  const problems = walk.problems.map(({ file, error }) => ({ file, message: problemOf(error) }));
  if (walk.files.length === 0 && problems.length === 0) {
    return whole("no manifests in this directory (files named *.yaml, *.yml, *.json)");
  }
  const files = walk.files.sort();
  const rendered = files.flatMap((file) => {
    const message = unrendered(file);
    return message === undefined ? [] : [{ file, message }];
  });
  const left = new Set(rendered.map(({ file }) => file));
  return { files: files.filter((file) => !left.has(file)), problems: [...problems, ...rendered] };
}

function collect(directory: string, depth: number, walk: Walk): void {
  let names: readonly string[];
  try {
    const own = statSync(directory);
    const identity = `${own.dev} ${own.ino}`;
    if (walk.visited.has(identity)) return;
    walk.visited.add(identity);
    names = readdirSync(directory).sort();
  } catch (error) {
    walk.problems.push({ file: directory, error });
    return;
  }
  for (const name of names) {
    if (++walk.entries > entriesMax || walk.files.length > filesMax) return;
    if (!name.startsWith(".") && name !== "node_modules") look(join(directory, name), depth, walk);
  }
}

function look(path: string, depth: number, walk: Walk): void {
  let stats: Stats;
  try {
    stats = statSync(path);
  } catch (error) {
    // What vanished meanwhile, or a link to nowhere, matters only where a manifest was meant.
    if (manifestName.test(path)) walk.problems.push({ file: path, error });
    return;
  }
  if (stats.isDirectory() && depth < depthMax) collect(path, depth + 1, walk);
  else if (stats.isFile() && manifestName.test(path)) walk.files.push(path);
}

/** What a file of a template or an overlay is, with the way to what it makes; undefined for every other file. */
function unrendered(file: string): string | undefined {
  const pipe = "| outrigger simulate -f -";
  const name = basename(file);
  if (/^kustomization[.]ya?ml$/.test(name)) {
    return `belongs to an overlay (render it first: kustomize build DIRECTORY ${pipe})`;
  }
  const chart = `belongs to a Helm chart (render it first: helm template CHART ${pipe})`;
  if (/^Chart[.]ya?ml$/.test(name)) return chart;
  return /^values[.]ya?ml$/.test(name) && !/^kind:/m.test(readFileSync(file, "utf8")) ? chart : undefined;
}
