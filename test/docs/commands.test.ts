import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);
const scripts = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> })
  .scripts;
const ciRun = readFileSync(join(root, ".ci/run"), "utf8");

/** The lines of code fences that a reader would type. */
function commandsOf(page: string): readonly string[] {
  const fences = [...readFileSync(join(root, page), "utf8").matchAll(/^```\w*\n(.*?)^```$/gms)];
  return fences.flatMap(([, body = ""]) => body.split("\n").filter((line) => /^(npm|npx) /.test(line)));
}

const commands = [...new Set(pages.flatMap(commandsOf))];
/** Run by `.ci/run` on a clean checkout, since they contain this very test or install packages. */
const ranByCi: readonly string[] = ["npm ci && npm test", "npm run check"];
const startPrefix = /^(?:npm ci && )?npm start(?: -- )?/;

describe("the commands of the documentation", () => {
  let directory = "";
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-docs-"));
    const demo = join(root, "cli/simulate/demo");
    mkdirSync(join(directory, "dir"));
    writeFileSync(join(directory, "my.yaml"), readFileSync(join(demo, "deployment.yaml")));
    for (const name of ["nodepool.yaml", "ec2nodeclass.yaml"]) {
      writeFileSync(join(directory, "dir", name), readFileSync(join(demo, name)));
    }
  });
  afterAll(() => {
    rmSync(directory, { recursive: true, force: true });
  });

  test("are the two that newcomers are promised, and more", () => {
    expect(commands).toContain("npm ci && npm start");
    expect(commands).toContain("npm ci && npm test");
    expect(scripts).toMatchObject({ start: "node cli/outrigger.mjs simulate", test: "vitest run" });
  });

  test.each(commands)("%s works", (command) => {
    if (ranByCi.includes(command)) {
      expect(ciRun).toContain(command);
      return;
    }
    expect(command, "a command of which no test knows").toMatch(startPrefix);
    const words = command
      .replace(startPrefix, "")
      .split(" ")
      .filter((word) => word !== "");
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, "cli/outrigger.mjs"), "simulate", ...words],
      {
        cwd: directory,
        encoding: "utf8",
      },
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toContain("NODECLASS");
  });
});
