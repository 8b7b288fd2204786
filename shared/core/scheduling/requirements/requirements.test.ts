import { describe, expect, test } from "vitest";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import {
  describeIncompatibility,
  firstConflict,
  firstIncompatibility,
  impossibleKey,
  intersectRequirements,
  keyOfRequirements,
  labelRequirements,
  labelsMeet,
  requirementsOf,
  specsOfRequirements,
} from "./requirements.ts";

const of = (...specs: RequirementSpec[]): ReturnType<typeof requirementsOf> => requirementsOf(specs);
const zoneIs = (...values: string[]): RequirementSpec => ({
  key: "topology.kubernetes.io/zone",
  operator: "In",
  values,
});
const team = (operator: RequirementSpec["operator"], ...values: string[]): RequirementSpec => ({
  key: "team",
  operator,
  values,
});
const wellKnown = (key: string): boolean => key === "topology.kubernetes.io/zone";

describe("what a node must define", () => {
  test.each<[string, RequirementSpec[], RequirementSpec[], boolean]>([
    ["a value that both allow", [team("In", "a", "b")], [team("In", "b")], true],
    ["values apart", [team("In", "a")], [team("In", "b")], false],
    ["a custom label that is not defined", [], [team("In", "a")], false],
    ["a custom label that must only exist", [], [team("Exists")], false],
    ["a custom label that must not have a value", [], [team("NotIn", "a")], true],
    ["a custom label that must be missing", [], [team("DoesNotExist")], true],
    ["a bound on a custom label that is not defined", [], [team("Gt", "1")], false],
    ["a well-known label that is not defined yet", [], [zoneIs("a")], true],
    ["excluded by the node, missing for the pod", [team("NotIn", "a")], [team("DoesNotExist")], true],
    ["present on the node, missing for the pod", [team("Exists")], [team("DoesNotExist")], false],
  ])("%s", (_, node, pod, compatible) => {
    expect(firstIncompatibility(of(...node), of(...pod), wellKnown) === undefined).toBe(compatible);
  });

  test("without an exception a well-known label must be defined too", () => {
    const incompatibility = firstIncompatibility(of(), of(zoneIs("a")), () => false);
    expect(incompatibility === undefined ? "" : describeIncompatibility(incompatibility)).toBe(
      "wants topology.kubernetes.io/zone in [a], the label is not there",
    );
  });

  test("keys of one side only are no conflict", () => {
    expect(firstConflict(of(team("In", "a")), of(zoneIs("z")))).toBeUndefined();
    expect(firstConflict(of(team("In", "a")), of(team("In", "b")))?.wanted.values).toEqual(["b"]);
  });

  test("two exclusions never conflict", () => {
    expect(firstConflict(of(team("NotIn", "a")), of(team("NotIn", "b")))).toBeUndefined();
    expect(firstConflict(of(team("NotIn", "a")), of(team("DoesNotExist")))).toBeUndefined();
  });
});

describe("a node's labels", () => {
  test("a missing label meets NotIn and DoesNotExist only", () => {
    expect(labelsMeet({}, of(team("NotIn", "a")))).toBe(true);
    expect(labelsMeet({}, of(team("DoesNotExist")))).toBe(true);
    expect(labelsMeet({}, of(team("Exists")))).toBe(false);
    expect(labelsMeet({ team: "a" }, of(team("NotIn", "a")))).toBe(false);
    expect(labelsMeet({ team: "5" }, of(team("Gt", "4"), team("Lt", "6")))).toBe(true);
  });

  test("names that objects inherit are no labels", () => {
    expect(labelsMeet({}, of({ key: "constructor", operator: "Exists" }))).toBe(false);
  });
});

describe("a set of requirements", () => {
  test("items with one key are intersected", () => {
    expect(specsOfRequirements(of(team("In", "a", "b"), team("NotIn", "a")))).toEqual([team("In", "b")]);
  });

  test("a contradiction is named", () => {
    expect(impossibleKey(intersectRequirements(of(team("In", "a")), labelRequirements({ team: "b" })))).toBe("team");
    expect(impossibleKey(of(team("DoesNotExist")))).toBeUndefined();
  });

  test("its text does not depend on the order of items and values", () => {
    const one = of(team("In", "b", "a"), zoneIs("x", "y"));
    const other = of(zoneIs("y", "x"), team("In", "a", "b"));
    expect(keyOfRequirements(one)).toBe(keyOfRequirements(other));
  });
});
