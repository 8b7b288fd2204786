import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");
const configuration = [
  ".dependency-cruiser.mjs",
  "biome.json",
  "package.json",
  "tsconfig.json",
  "shared/tsconfig.pure.json",
  "tools/no-ambient-input.grit",
];

export interface PlantedTree {
  readonly path: string;
  readonly remove: () => void;
}

/** A copy of the project's configuration around `files` (path → text) in a directory of its own, with the real packages. */
export function plantTree(files: Readonly<Record<string, string>>): PlantedTree {
  const path = mkdtempSync(join(tmpdir(), "outrigger-walls-"));
  for (const file of configuration) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    cpSync(join(root, file), join(path, file));
  }
  symlinkSync(join(root, "node_modules"), join(path, "node_modules"));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), text);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface ToolRun {
  readonly status: number | null;
  readonly output: string;
}

/** Runs one of the project's tools in the tree with the Node that runs the tests; `script` is a path below node_modules. */
export function runTool(tree: PlantedTree, script: string, args: readonly string[]): ToolRun {
  const run = spawnSync(process.execPath, [join(root, "node_modules", script), ...args], {
    cwd: tree.path,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return { status: run.status, output: `${run.stdout}${run.stderr}` };
}
