import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const directory = mkdtempSync(join(tmpdir(), "outrigger-app-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** As `npx` does: the Node of this test before any other. */
const PATH = [join(process.execPath, ".."), process.env.PATH].join(delimiter);

function app(context: Readonly<Record<string, string>>) {
  return spawnSync(process.execPath, [join(root, "infra/app.ts")], {
    cwd: directory,
    encoding: "utf8",
    env: {
      PATH,
      CDK_CONTEXT_JSON: JSON.stringify({ "aws:cdk:bundling-stacks": [], ...context }),
      CDK_OUTDIR: join(directory, "out"),
    },
  });
}

test("npx cdk synth -c clusters=a,b works offline: two stacks, and the functions' bundles", () => {
  const output = join(directory, "cdk.out");
  const words = [..."synth -c clusters=a,b".split(" "), "--quiet", "--output", output];
  const { status, stderr } = spawnSync(process.execPath, [join(root, "node_modules/aws-cdk/bin/cdk"), ...words], {
    cwd: root,
    encoding: "utf8",
    env: { PATH, HOME: directory, AWS_EC2_METADATA_DISABLED: "true" },
  });
  expect(status, stderr).toBe(0);
  const files = readdirSync(output);
  expect(files).toEqual(expect.arrayContaining(["Outrigger-a.template.json", "Outrigger-b.template.json"]));
  const bundles = files
    .filter((name) => name.startsWith("asset."))
    .filter((name) => readdirSync(join(output, name)).includes("handler.mjs"));
  // The same code for both clusters.
  expect(bundles).toHaveLength(4);
  // A guard against what hangs: the toolkit, the app and four bundlers one after the other, on a busy machine.
}, 400_000);

test("without a cluster it says how to name one, and makes nothing", () => {
  const { status, stderr } = app({});
  expect(status).toBe(1);
  expect(stderr).toMatch(/^No cluster is named\. Say which: npx cdk synth -c clusters=NAME/);
});

test("outrigger.config.ts says which clusters, and what is wrong in it is told in words", () => {
  const file = join(directory, "outrigger.config.ts");
  writeFileSync(file, 'export const config = { clusters: [{ name: "from-file", logLevel: "DEBUG" }] };\n');
  expect(app({})).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(join(directory, "out/Outrigger-from-file.template.json"), "utf8")).toContain(
    '"LOG_LEVEL": "DEBUG"',
  );
  writeFileSync(file, 'export const config = { clusters: [{ name: "from-file", logLevel: "LOUD" }] };\n');
  expect(app({}).stderr).toBe('from-file.logLevel: must be one of DEBUG, INFO, WARN, ERROR; it is "LOUD"\n');
  rmSync(file);
});

test.each([
  ["export default { clusters: [] };", /^outrigger\.config\.ts exports no `config`: export const config = /],
  ["export const config = {", /^outrigger\.config\.ts cannot be read: /],
  ['import "./nowhere.ts";', /^outrigger\.config\.ts cannot be read: Cannot find module/],
])("a file as %j is refused in words, without a trace", (text, words) => {
  const file = join(directory, "outrigger.config.ts");
  writeFileSync(file, text);
  const { status, stderr } = app({});
  rmSync(file);
  expect(status).toBe(1);
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/\n {4}at /);
});
