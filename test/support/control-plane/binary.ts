import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const sources = fileURLToPath(new URL("go", import.meta.url));

/** A cold build compiles Kubernetes: about 12 minutes on two busy cores. */
const buildMsMax = 45 * 60_000;

export type Binary =
  | { readonly kind: "ready"; readonly path: string }
  /** Nothing to run, and why, in one line. */
  | { readonly kind: "missing"; readonly why: string };

/**
 * The control plane's binary for the sources beside this file, from the cache outside the tree
 * (`$XDG_CACHE_HOME/outrigger/control-plane-<hash of the sources>`), built there when it is not in it.
 */
export async function controlPlaneBinary(): Promise<Binary> {
  const path = cachedPath();
  if (existsSync(path)) return { kind: "ready", path };
  try {
    await run("go", ["version"]);
  } catch {
    return { kind: "missing", why: "Go is not installed, so no real control plane can be built" };
  }
  return build(path);
}

function cachedPath(): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(sources).sort()) hash.update(name).update(readFileSync(join(sources, name)));
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  return join(cache, "outrigger", `control-plane-${hash.digest("hex").slice(0, 16)}`);
}

async function build(path: string): Promise<Binary> {
  mkdirSync(join(path, ".."), { recursive: true });
  process.stderr.write("building the control plane from Go modules, once; this takes some minutes\n");
  const { stdout } = await run("go", ["list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes"], { cwd: sources });
  const version = stdout.trim();
  const [major = "", minor = ""] = version.slice(1).split(".");
  const component = "k8s.io/component-base/version";
  const flags = [
    "-s -w",
    `-X ${component}.gitVersion=${version}`,
    `-X ${component}.gitMajor=${major}`,
    `-X ${component}.gitMinor=${minor}`,
  ].join(" ");
  // Made under another name first: an interrupted build leaves no binary that looks whole.
  const unfinished = `${path}.${process.pid}`;
  try {
    await run("go", ["build", "-trimpath", "-mod=readonly", "-ldflags", flags, "-o", unfinished, "."], {
      cwd: sources,
      env: { ...process.env, CGO_ENABLED: "0" },
      timeout: buildMsMax,
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    return { kind: "missing", why: `the control plane could not be built: ${lastLine(error)}` };
  }
  renameSync(unfinished, path);
  return { kind: "ready", path };
}

function lastLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split("\n").at(-1) ?? "";
}
