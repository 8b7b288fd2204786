import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { findPython } from "./python.ts";

export type Environment =
  | { readonly kind: "ready"; readonly python: string; readonly cache: string }
  | { readonly kind: "missing"; readonly why: string };

const requirements = join(import.meta.dirname, "requirements.txt");
const installMsMax = 600_000;

/**
 * The Python that the stand-in runs on, with moto in it. Made once, outside the tree, in a folder named by what is in
 * it, so that a changed pin is a new folder; made beside it and moved, so that half of one is never used.
 */
export function ensureEnvironment(say: (line: string) => void = () => {}): Environment {
  const found = findPython();
  if (found.kind === "missing") return found;
  const version = spawnSync(found.command, ["--version"], { encoding: "utf8" }).stdout;
  const hash = createHash("sha256").update(readFileSync(requirements)).update(version).digest("hex").slice(0, 16);
  const root = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "outrigger");
  const folder = join(root, `aws-stand-in-${hash}`);
  const python = join(folder, "bin/python");
  if (existsSync(python)) return { kind: "ready", python, cache: folder };
  say("installing moto into the cache folder, once: about a minute");
  mkdirSync(root, { recursive: true });
  const draft = `${folder}.${process.pid}`;
  const problem =
    run(found.command, ["-m", "venv", draft]) ??
    run(join(draft, "bin/python"), [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "-r",
      requirements,
    ]);
  if (problem !== undefined) {
    rmSync(draft, { recursive: true, force: true });
    return { kind: "missing", why: `moto could not be installed: ${problem}` };
  }
  try {
    renameSync(draft, folder);
  } catch {
    // Another process was first; its folder is as good.
    rmSync(draft, { recursive: true, force: true });
  }
  return { kind: "ready", python, cache: folder };
}

/** What went wrong, in a line. */
function run(command: string, args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", timeout: installMsMax });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split("\n").at(-1) ?? `exit status ${status}`;
}
