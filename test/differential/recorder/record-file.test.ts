import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { generate } from "../generator/generate.ts";
import { type RecordedProblem, readBatch, writeBatch } from "./record-file.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-batch-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

test("a batch is read as it was written", () => {
  const recorded = [3, 6].map((seed): RecordedProblem => {
    const { name, features, problem } = generate(seed);
    const types = problem.instanceTypes.map((type) => type.name);
    const claim = { nodePool: "pool-0", requirements: [], instanceTypes: types.slice(1, 3), pods: ["default/a"] };
    return {
      name,
      features,
      problem,
      answers: [{ nodeClaims: [claim], existingNodes: [], podErrors: { "default/b": "no" } }],
    };
  });
  const file = join(directory, "batch.json.gz");
  writeBatch(file, recorded);
  expect(readBatch(file)).toEqual(JSON.parse(JSON.stringify(recorded)));
});
