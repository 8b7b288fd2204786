import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlantedTree, plantTree, runTool, type ToolRun } from "./planted-tree.ts";

const pureFolders = ["api", "core", "ec2", "ports"] as const;

/** Pure but for their types: they drive ports, or are a world of their own; time and dice come to them as arguments too. */
const drivenFolders = ["controllers", "adapters/simulator"] as const;

/** Ambient time, dice and locale, plainly and by the ways around a plain rule: the lint rule's. */
const ambient: Readonly<Record<string, string>> = {
  "date-now": "export const now = Date.now();\n",
  "date-now-as-a-value": "export const now = [1].map(Date.now);\n",
  "date-now-by-key": 'export const now = Date["now"]();\n',
  "date-now-of-the-global": "export const now = globalThis.Date.now();\n",
  "date-now-in-a-date": "export const now = new Date(Date.now());\n",
  "date-now-taken-apart": "const { now } = Date;\nexport const nowMs = now();\n",
  "date-renamed": "const Time = Date;\nexport const now = Time.now();\n",
  "date-called": "export const now = Date();\n",
  "date-passed-on": "export const now = Reflect.construct(Date, []);\n",
  "new-date": "export const now = new Date();\n",
  "new-date-bare": "export const now = new Date;\n",
  "new-date-in-local-time": "export const then = new Date(2026, 1);\n",
  "local-hours": "export const hours = (ms: number): number => new Date(ms).getHours();\n",
  "intl-format": "export const now = new Intl.DateTimeFormat().format();\n",
  "locale-order": 'export const order = "a".localeCompare("b");\n',
  "locale-text": "export const text = (1).toLocaleString();\n",
  "math-random": "export const dice = Math.random();\n",
  "math-random-by-key": 'export const dice = Math["random"]();\n',
  "math-random-as-a-value": "export const dice = [1].map(Math.random);\n",
  "math-random-inside": "export const dice = Math.floor(Math.random() * 6);\n",
  "math-taken-apart": "const { random } = Math;\nexport const dice = random();\n",
  "crypto-dice": "export const dice = crypto.randomUUID();\n",
  "performance-now": "export const now = performance.now();\n",
  "process-time": "export const now = process.hrtime.bigint();\n",
  timer: "export const timer = setTimeout(() => {}, 1);\n",
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
/** Time and randomness that came in as data are no ambient input, nor is the rest of Date and Math. */
const cleanText = `export const hours = (nowMs: number): number => new Date(Math.floor(nowMs / 1000) * 1000).getUTCHours();
export const later = (date: Date, text: string): boolean => date.getTime() > Math.max(Date.parse(text), Date.UTC(2026, 1));
export const dice = (from: { readonly random: () => number }): number => Math.floor(from.random() * 6);
`;
const clean: Readonly<Record<string, string>> = {
  "shared/core/clean.ts": cleanText,
  "shared/core/clean.test.ts": 'import { test } from "vitest";\n\ntest(String(Date.now()), () => {});\n',
  "shared/controllers/clean.ts": cleanText,
  "shared/adapters/simulator/clean.ts": cleanText,
  "shared/adapters/aws/clean.ts": "export const now = Date.now();\n",
  "cli/clean.ts": "export const dice = Math.random();\n",
};

const lintTree: Record<string, string> = { ...clean };
const typeTree: Record<string, string> = { ...clean };
for (const folder of [...pureFolders, ...drivenFolders]) {
  for (const [name, text] of Object.entries(ambient)) lintTree[`shared/${folder}/${name}.ts`] = text;
}
for (const folder of pureFolders) {
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
      "cli",
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

  test.each([...pureFolders, ...drivenFolders])("the lint refuses ambient time, dice and locale in %s", (folder) => {
    expect(lint.status).not.toBe(0);
    for (const name of Object.keys(ambient)) {
      const lines = lint.output.split("\n").filter((line) => line.includes(`shared/${folder}/${name}.ts`));
      expect(lines.join("\n"), name).toContain("A decision has no clock, no dice and no locale of its own");
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
    expect(cleanLint).toEqual({ status: 0, output: "" });
    expect(cleanTypes).toMatchObject({ status: 0 });
  });
});
