import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordingOf } from "#core/recording/recording.ts";
import { recordedRun } from "../support/recorded-run.ts";

const root = join(import.meta.dirname, "../..");
const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);
const scripts = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> })
  .scripts;
const ciRun = readFileSync(join(root, ".ci/run"), "utf8");

/** The lines of code fences that a reader would type. */
function commandsOf(page: string): readonly string[] {
  const fences = [...readFileSync(join(root, page), "utf8").matchAll(/^( *)```\w*\n(.*?)^\1```$/gms)];
  return fences
    .flatMap(([, , body = ""]) => body.split("\n").map((line) => line.trim()))
    .filter((line) => /^(npm|npx) /.test(line));
}

const commands = [...new Set(pages.flatMap(commandsOf))];
/** Run by `.ci/run` on a clean checkout, since they contain this very test or install packages; and how it runs each. */
const ranByCi: Readonly<Record<string, readonly RegExp[]>> = {
  "npm ci && npm test": [
    /^test_command=\$\(grep -m1 -xE 'npm ci && npm test' README[.]md\)/m,
    /^readme_command\(\) \{ bash -c "\$test_command -- /m,
    /^suite "\$test_command" readme_command$/m,
  ],
  "npm run check": [/^pass_or_fail "[^"]*" npm run (--silent )?check( |$)/m],
  "npm run test:aws": [/^suite "[^"]*" npm run (--silent )?test:aws( |$)/m],
  "npm run test:deployed": [/^suite "[^"]*" npm run (--silent )?test:deployed( |$)/m],
  "npm run test:e2e": [/^suite "[^"]*" npm run (--silent )?test:e2e( |$)/m],
};
/** Run by a test of its own, that carries the command in its name. */
const ranByAppTest = "npx cdk synth -c clusters=a,b";
const appTest = readFileSync(join(root, "test/infra/app.test.ts"), "utf8");
/** Run by the journey of a deployment, from a folder whose configuration names the cluster. */
const ranByJourney = "npx cdk deploy --all -c clusters=a,b";
const toolkit = readFileSync(join(root, "test/deployed/support/toolkit.ts"), "utf8");
/** Run on a real control plane by tests that carry the command in their names. */
const realClusterTest = ["migrate-command.e2e.ts", "scenarios/pause.ts", "scenarios/after-upgrade.ts"]
  .map((name) => readFileSync(join(root, "test/e2e", name), "utf8"))
  .join("\n");
/** Writes README.md itself; its own test holds the outcome. */
const ranByPictureTest = "npm run picture";

/** The words for `outrigger` that the command comes to. */
function wordsOf(command: string): readonly string[] {
  const [start] = /^(?:npm ci && )?npm start(?: -- )?/.exec(command) ?? [];
  if (start !== undefined) return ["simulate", ...split(command.slice(start.length))];
  const [npx] = /^npx outrigger /.exec(command) ?? [];
  expect(npx, `${command}: a command of which no test knows`).toBeDefined();
  return split(command.slice(npx?.length));
}

function split(text: string): readonly string[] {
  return [...text.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

describe("the commands of the documentation", () => {
  let directory = "";
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "outrigger-docs-"));
    const demo = join(root, "cli/simulate/demo");
    mkdirSync(join(directory, "dir"));
    cpSync(join(root, "test/differential/peer/sample.yaml"), join(directory, "problem.yaml"));
    writeFileSync(join(directory, "my.yaml"), readFileSync(join(demo, "deployment.yaml")));
    for (const name of ["nodepool.yaml", "ec2nodeclass.yaml"]) {
      writeFileSync(join(directory, "dir", name), readFileSync(join(demo, name)));
    }
    const [first] = await recordedRun([join(directory, "my.yaml"), join(directory, "dir")], 1);
    if (first === undefined) throw new Error("no tick was recorded");
    const recording = gzipSync(JSON.stringify(recordingOf(first, "0.1.0")));
    for (const name of ["seen.json.gz", "recording.json.gz"]) writeFileSync(join(directory, name), recording);
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
    if (command === ranByPictureTest) return;
    if (command === ranByAppTest) {
      expect(appTest).toContain(`test("${command} `);
      return;
    }
    if (command === ranByJourney) {
      expect(toolkit).toContain('"deploy", "--all"');
      return;
    }
    if (command.includes(" --kubeconfig ")) {
      expect(realClusterTest).toContain(`"${command}"`);
      return;
    }
    const ways = ranByCi[command];
    if (ways !== undefined) {
      for (const way of ways) expect(ciRun).toMatch(way);
      return;
    }
    const words = wordsOf(command);
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "cli/outrigger.mjs"), ...words], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(stdout).toMatch(words[0] === "simulate" ? /NODECLASS/ : /\S/);
  });
});
