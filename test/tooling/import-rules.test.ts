import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PlantedTree, plantTree, runTool } from "./planted-tree.ts";

const nothing = "export const nothing = 0;\n";

/** What each file may not do, and the rule that must say so. */
const planted: readonly { readonly file: string; readonly text: string; readonly rule: string }[] = [
  { file: "shared/api/knows-core.ts", text: 'import "../core/clean.ts";\n', rule: "api-stands-alone" },
  { file: "shared/api/by-name.ts", text: 'import "#core/clean.ts";\n', rule: "api-stands-alone" },
  { file: "shared/api/reads-yaml.ts", text: 'import "yaml";\n', rule: "pure-folders-touch-nothing" },
  { file: "shared/api/evaluates.ts", text: 'import "ajv";\n', rule: "pure-folders-touch-nothing" },
  { file: "shared/api/reads-files.ts", text: 'import "node:fs";\n', rule: "pure-folders-touch-nothing" },
  { file: "shared/core/knows-ec2.ts", text: 'import "#ec2/clean.ts";\n', rule: "core-knows-api-only" },
  {
    file: "shared/core/knows-a-type.ts",
    text: 'import type { Clean } from "#ec2/clean.ts";\nexport type Mine = Clean;\n',
    rule: "core-knows-api-only",
  },
  { file: "shared/core/knows-port.ts", text: 'import "../ports/clean.ts";\n', rule: "core-knows-api-only" },
  { file: "shared/core/uses-package.ts", text: 'import "ajv";\n', rule: "pure-folders-touch-nothing" },
  {
    file: "shared/core/uses-package-type.ts",
    text: 'import type { Ajv } from "ajv";\nexport type Mine = Ajv;\n',
    rule: "pure-folders-touch-nothing",
  },
  { file: "shared/ec2/reads-files.ts", text: 'import "node:fs";\n', rule: "pure-folders-touch-nothing" },
  { file: "shared/ec2/knows-port.ts", text: 'import "#ports/clean.ts";\n', rule: "ec2-knows-core-and-api" },
  { file: "shared/ports/knows-adapter.ts", text: 'import "#simulator/clean.ts";\n', rule: "ports-are-interfaces" },
  { file: "shared/ports/uses-crypto.ts", text: 'import "crypto";\n', rule: "pure-folders-touch-nothing" },
  { file: "shared/controllers/knows.ts", text: 'import "#simulator/clean.ts";\n', rule: "controllers-know-no-adapter" },
  { file: "shared/controllers/reads-files.ts", text: 'import "node:fs";\n', rule: "pure-folders-touch-nothing" },
  { file: "shared/adapters/aws/a.ts", text: 'import "../simulator/clean.ts";\n', rule: "adapters-implement-ports" },
  { file: "shared/adapters/aws/b.ts", text: 'import "#controllers/clean.ts";\n', rule: "adapters-implement-ports" },
  { file: "shared/adapters/aws/c.ts", text: 'import "vitest";\n', rule: "production-uses-dependencies" },
  { file: "lambdas/reconcile/handler.ts", text: 'import "#simulator/clean.ts";\n', rule: "lambdas-do-not-share" },
  { file: "shared/api/api.test.ts", text: 'import "../core/clean.ts";\n', rule: "api-stands-alone-in-unit-tests" },
  { file: "shared/core/ec2.test.ts", text: 'import "#ec2/clean.ts";\n', rule: "core-knows-api-only-in-unit-tests" },
  {
    file: "shared/ec2/tool.test.ts",
    text: 'import "../../test/tooling/clean.ts";\n',
    rule: "ec2-knows-core-and-api-in-unit-tests",
  },
  {
    file: "shared/controllers/simulator.test.ts",
    text: 'import "#simulator/clean.ts";\n',
    rule: "controllers-know-no-adapter-in-unit-tests",
  },
  {
    file: "shared/adapters/aws/simulator.test.ts",
    text: 'import "#simulator/clean.ts";\n',
    rule: "adapters-implement-ports-in-unit-tests",
  },
  { file: "cli/knows-infra.ts", text: 'import "../infra/clean.ts";\n', rule: "cli-is-an-entry-point" },
  { file: "infra/loads-code.ts", text: 'import "#core/clean.ts";\n', rule: "infra-reads-data-only" },
  { file: "shared/core/knows-test.ts", text: 'import "./clean.test.ts";\n', rule: "production-never-imports-tests" },
  {
    file: "test/differential/checker/knows.ts",
    text: 'import "#core/clean.ts";\n',
    rule: "the-checker-is-independent",
  },
  {
    file: "test/differential/lower-bound/knows.ts",
    text: 'import "../../support/clean.ts";\n',
    rule: "the-checker-is-independent",
  },
  { file: "shared/core/one.ts", text: 'import "./other.ts";\n', rule: "no-cycles" },
  { file: "shared/core/alone.ts", text: nothing, rule: "no-orphans" },
  { file: "shared/core/lost.ts", text: 'import "#core/not-there.ts";\n', rule: "resolvable" },
];

/** A cycle is reported once, where it is first met. */
const otherHalf = { "shared/core/other.ts": 'import "./one.ts";\n' };

/** Each layer used as it may be. */
const clean: Readonly<Record<string, string>> = {
  "shared/api/clean.ts": nothing,
  "shared/core/clean.ts": 'import "#api/clean.ts";\n',
  "shared/core/clean.test.ts": 'import "vitest";\nimport "./clean.ts";\nimport "../../test/support/clean.ts";\n',
  "shared/adapters/simulator/clean.test.ts": 'import "vitest";\nimport "./clean.ts";\n',
  "test/support/clean.ts": 'import "#simulator/clean.ts";\n',
  "test/tooling/clean.ts": 'import "../support/clean.ts";\n',
  "test/tooling/clean.test.ts": 'import "./clean.ts";\n',
  "shared/ec2/clean.ts": 'import "#core/clean.ts";\nexport interface Clean {\n  readonly a: 1;\n}\n',
  "shared/ports/clean.ts": 'import type {} from "#core/clean.ts";\n',
  "shared/ports/rights.ts": 'import type {} from "#core/clean.ts";\n',
  "shared/controllers/clean.ts": 'import "#ports/clean.ts";\nimport "#ec2/clean.ts";\n',
  "shared/controllers/stages.ts": 'import "#ec2/clean.ts";\n',
  "shared/adapters/simulator/clean.ts": 'import "node:fs";\nimport "yaml";\nimport "#ports/clean.ts";\n',
  "infra/clean.ts": 'import "#ports/rights.ts";\nimport "#controllers/stages.ts";\n',
  "cli/outrigger.ts": 'import "#controllers/clean.ts";\nimport "#simulator/clean.ts";\n',
};

interface CruiseResult {
  readonly summary: {
    readonly totalCruised: number;
    readonly error: number;
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

function cruise(files: Readonly<Record<string, string>>): { tree: PlantedTree; result: CruiseResult } {
  const tree = plantTree(files);
  const folders = [...new Set(Object.keys(files).map((file) => file.split("/")[0] ?? ""))];
  const options = ["--config", ".dependency-cruiser.mjs", "--output-type", "json"];
  const run = runTool(tree, "dependency-cruiser/bin/dependency-cruise.mjs", [...options, ...folders]);
  return { tree, result: JSON.parse(run.output) as CruiseResult };
}

describe("the import rules", () => {
  let violating: ReturnType<typeof cruise>;
  let tidy: ReturnType<typeof cruise>;
  beforeAll(() => {
    violating = cruise({
      ...clean,
      ...otherHalf,
      ...Object.fromEntries(planted.map(({ file, text }) => [file, text])),
    });
    tidy = cruise(clean);
  });
  afterAll(() => {
    violating.tree.remove();
    tidy.tree.remove();
  });

  test("really cruise: an empty graph is green without having looked", () => {
    expect(violating.result.summary.totalCruised).toBeGreaterThan(planted.length);
    expect(violating.result.summary.error).toBeGreaterThanOrEqual(planted.length);
  });

  test.each(planted)("catch $file by the rule $rule", ({ file, rule }) => {
    const rules = violating.result.summary.violations.filter(({ from }) => from === file).map((v) => v.rule.name);
    expect(rules).toContain(rule);
  });

  test("let every layer use what it may, through # imports too", () => {
    expect(tidy.result.summary.totalCruised).toBeGreaterThan(Object.keys(clean).length);
    expect(tidy.result.summary.violations).toEqual([]);
  });
});
