import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlantedTree, plantTree, runTool, type ToolRun } from "./planted-tree.ts";

const pureFolders = ["api", "core", "ec2", "ports"] as const;

/** Ambient time and dice: the lint rule's. */
const ambient: Readonly<Record<string, string>> = {
  "date-now": "export const now = Date.now();\n",
  "new-date": "export const now = new Date();\n",
  "math-random": "export const dice = Math.random();\n",
};
/** What the platform would give: the pure type check's. */
const platform: Readonly<Record<string, { readonly text: string; readonly name: string }>> = {
  environment: { text: "export const home = process.env.HOME;\n", name: "process" },
  buffer: { text: 'export const bytes = Buffer.from("a");\n', name: "Buffer" },
  timer: { text: "export const timer = setTimeout(() => {}, 1);\n", name: "setTimeout" },
  console: { text: 'console.log("said");\nexport const nothing = 0;\n', name: "console" },
  performance: { text: "export const now = performance.now();\n", name: "performance" },
  fetch: { text: 'export const answer = fetch("https://example.com");\n', name: "fetch" },
  document: { text: "export const title = document.title;\n", name: "document" },
};
/** Time and randomness that came in as data are no ambient input. */
const clean: Readonly<Record<string, string>> = {
  "shared/core/clean.ts": "export const year = (nowMs: number): string => new Date(nowMs).toISOString();\n",
  "shared/core/clean.test.ts": 'import { test } from "vitest";\n\ntest(String(Date.now()), () => {});\n',
  "shared/controllers/clean.ts": "export const now = Date.now();\n",
};

const lintTree: Record<string, string> = { ...clean };
const typeTree: Record<string, string> = { ...clean };
for (const folder of pureFolders) {
  for (const [name, text] of Object.entries(ambient)) lintTree[`shared/${folder}/${name}.ts`] = text;
  for (const [name, { text }] of Object.entries(platform)) typeTree[`shared/${folder}/${name}.ts`] = text;
}

describe("in the pure folders", () => {
  const trees: PlantedTree[] = [];
  let lint: ToolRun;
  let types: ToolRun;
  let cleanLint: ToolRun;
  let cleanTypes: ToolRun;
  const plant = (files: Readonly<Record<string, string>>): PlantedTree => {
    const tree = plantTree(files);
    trees.push(tree);
    return tree;
  };
  const runLint = (files: Readonly<Record<string, string>>): ToolRun =>
    runTool(plant(files), "@biomejs/biome/bin/biome", [
      "lint",
      "--reporter=github",
      "--max-diagnostics=none",
      "shared",
    ]);
  const runTypes = (files: Readonly<Record<string, string>>): ToolRun =>
    runTool(plant(files), "tsc7/bin/tsc", ["-p", "shared/tsconfig.pure.json", "--pretty", "false"]);
  beforeAll(() => {
    lint = runLint(lintTree);
    types = runTypes(typeTree);
    cleanLint = runLint(clean);
    cleanTypes = runTypes(clean);
  });
  afterAll(() => {
    for (const tree of trees) tree.remove();
  });

  test.each(pureFolders)("the lint refuses ambient time and dice in %s", (folder) => {
    expect(lint.status).not.toBe(0);
    for (const name of Object.keys(ambient)) {
      const lines = lint.output.split("\n").filter((line) => line.includes(`shared/${folder}/${name}.ts`));
      expect(lines.join("\n"), name).toContain("A decision has no clock and no dice of its own");
    }
  });

  test.each(pureFolders)("the pure type check knows neither Node nor the DOM in %s", (folder) => {
    expect(types.status).not.toBe(0);
    for (const [name, { name: platformName }] of Object.entries(platform)) {
      const lines = types.output.split("\n").filter((line) => line.includes(`${folder}/${name}.ts`));
      expect(lines.join("\n"), name).toContain(platformName);
    }
  });

  test("a time that came in as data, tests, and the outer folders are free", () => {
    expect(cleanLint).toMatchObject({ status: 0 });
    expect(cleanTypes).toMatchObject({ status: 0 });
  });
});
