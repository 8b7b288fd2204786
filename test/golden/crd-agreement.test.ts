/**
 * Validation and defaulting exist twice: in the CRDs, for the API server, and in shared/api, for manifests, the simulator
 * and the tick. Every case goes both ways, and both must say the same and fill in the same.
 */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { parseObject } from "#api/parse.ts";
import { formatProblem, type Problem } from "#api/problem.ts";
import { sameJson } from "#api/same-json.ts";
import { validateUpdate } from "#api/update-validation.ts";
import { type CrdCase, type CrdCases, neighbours, objectOf, storedObjectOf } from "../support/crd-case.ts";
import { type Crd, CrdEvaluator, readCrd } from "../support/crd-evaluator.ts";

const kinds = [
  { kind: "NodePool", crd: "karpenter.sh_nodepools.yaml", cases: "nodepool.yaml" },
  { kind: "NodeClaim", crd: "karpenter.sh_nodeclaims.yaml", cases: "nodeclaim.yaml" },
  { kind: "EC2NodeClass", crd: "karpenter.k8s.aws_ec2nodeclasses.yaml", cases: "ec2nodeclass.yaml" },
];

const crdAt = (name: string): Crd => readCrd(new URL(`../../shared/api/crds/${name}`, import.meta.url));
const casesAt = (name: string): CrdCases => parse(readFileSync(new URL(`crd-cases/${name}`, import.meta.url), "utf8"));

interface Verdict {
  readonly object: unknown;
  readonly problems: readonly Problem[];
}

function ours(raw: unknown, stored: unknown): Verdict {
  const parsed = parseObject(raw);
  if (parsed.kind === "unknown") throw new Error(`${parsed.apiVersion} ${parsed.objectKind} is unknown`);
  if (parsed.kind === "problems") return { object: undefined, problems: parsed.problems };
  const before = stored === undefined ? undefined : parseObject(stored);
  if (before === undefined) return { object: parsed.object, problems: [] };
  if (before.kind !== "object") throw new Error("the stored object of a case must be valid");
  return { object: parsed.object, problems: validateUpdate(before.object, parsed.object) };
}

describe.each(kinds)("$kind", ({ crd, cases }) => {
  const evaluator = new CrdEvaluator(crdAt(crd));
  const { base, full, cases: all } = casesAt(cases);

  test.each(all as CrdCase[])("$name", (given) => {
    const raw = objectOf(base, given);
    const stored = storedObjectOf(base, given);
    const before = stored === undefined ? undefined : evaluator.evaluate(stored).object;
    const untouched = structuredClone(raw);
    const theirs = evaluator.evaluate(raw, before);
    const mine = ours(raw, stored);
    expect(raw).toEqual(untouched);
    expect(
      { crd: theirs.problems.length === 0, api: mine.problems.length === 0 },
      JSON.stringify([theirs.problems, mine.problems]),
    ).toEqual({
      crd: given.valid,
      api: given.valid,
    });
    if (given.valid) expect(mine.object).toEqual(theirs.object);
    else expect(mine.problems[0]?.field).toBe(given.field);
  });

  test("the object with every field set is valid", () => {
    expect(evaluator.evaluate(full).problems).toEqual([]);
    expect(ours(full, undefined).problems).toEqual([]);
  });

  test("whatever one value of it is replaced by, both say the same", () => {
    const differences: unknown[] = [];
    const verdicts = { valid: 0, invalid: 0 };
    for (const { what, object } of neighbours(full)) {
      const theirs = evaluator.evaluate(object);
      const mine = ours(object, undefined);
      const valid = theirs.problems.length === 0;
      verdicts[valid ? "valid" : "invalid"]++;
      const same = valid === (mine.problems.length === 0) && (!valid || sameJson(mine.object, theirs.object));
      if (!same) differences.push({ what, crd: theirs.problems, api: mine.problems.map(formatProblem) });
    }
    expect(differences).toEqual([]);
    expect(verdicts.valid).toBeGreaterThan(100);
    expect(verdicts.invalid).toBeGreaterThan(1000);
  });

  test("the names of the cases are different", () => {
    const names = all.map((one) => one.name);
    expect(new Set(names).size).toBe(names.length);
  });
});
