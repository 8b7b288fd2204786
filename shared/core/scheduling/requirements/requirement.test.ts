import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RequirementOperator, type RequirementSpec, requirementOperators } from "#api/karpenter-v1/requirement.ts";
import {
  allowsValue,
  integerOf,
  intersect,
  isImpossible,
  isWithin,
  overlaps,
  type Requirement,
  requirementOf,
} from "./requirement.ts";
import { keyOfRequirement, specsOf } from "./requirement-text.ts";
import { requirementsOf } from "./requirements.ts";

const one = (operator: RequirementOperator, ...values: string[]): Requirement =>
  requirementOf({ key: "k", operator, values });

const written = (requirement: Requirement): string =>
  specsOf(requirement)
    .map(({ operator, values = [] }) => [operator, ...values].join(" "))
    .join("; ");

describe("an intersection allows what both allow", () => {
  test.each<[string, Requirement, Requirement, string]>([
    ["two bounds", one("Gt", "1"), one("Lt", "9"), "Gt 1; Lt 9"],
    ["bounds that leave no integer", one("Gt", "1"), one("Lt", "2"), "DoesNotExist; Exists"],
    ["values and a bound", one("In", "1", "9"), one("Gt", "1"), "In 9"],
    ["a word is no number", one("In", "A"), one("Gt", "1"), "DoesNotExist; Exists"],
    ["a word need not be excluded from numbers", one("NotIn", "A"), one("Gt", "1"), "Gt 1"],
    ["a bound and an exclusion within it keep both", one("NotIn", "5"), one("Gt", "1"), "Gt 1; NotIn 5"],
    ["an exclusion out of bounds", one("NotIn", "1"), one("Gte", "2"), "Gt 1"],
    ["values without the excluded", one("NotIn", "A"), one("In", "A", "B"), "In B"],
    ["existence and an exclusion keep both", one("Exists"), one("NotIn", "A"), "Exists; NotIn A"],
    ["two exclusions", one("NotIn", "B"), one("NotIn", "A"), "NotIn A B"],
    ["absence and an exclusion", one("DoesNotExist"), one("NotIn", "A"), "DoesNotExist"],
    ["absence and existence", one("DoesNotExist"), one("Exists"), "DoesNotExist; Exists"],
    ["absence and values", one("DoesNotExist"), one("In", "A"), "DoesNotExist; Exists"],
    ["inclusive bounds", one("Gte", "0"), one("Lte", "8"), "Gte 0; Lt 9"],
    ["values apart are a contradiction, not an absence", one("In", "A"), one("In", "B"), "DoesNotExist; Exists"],
  ])("%s", (_, a, b, text) => {
    expect(written(intersect(a, b))).toBe(text);
    expect(written(intersect(b, a))).toBe(text);
  });

  test("the larger minValues stays", () => {
    const few = requirementOf({ key: "k", operator: "In", values: ["a", "b", "c"], minValues: 1 });
    const many = requirementOf({ key: "k", operator: "Exists", minValues: 3 });
    expect(intersect(few, many).minValues).toBe(3);
    expect(specsOf(intersect(many, few))).toEqual([
      { key: "k", operator: "In", values: ["a", "b", "c"], minValues: 3 },
    ]);
  });
});

describe("reading a requirement", () => {
  test("older label names become the stable ones", () => {
    expect(requirementOf({ key: "beta.kubernetes.io/arch", operator: "Exists" }).key).toBe("kubernetes.io/arch");
    expect(requirementOf({ key: "failure-domain.beta.kubernetes.io/zone", operator: "Exists" }).key).toBe(
      "topology.kubernetes.io/zone",
    );
  });

  test.each([
    ["no value", []],
    ["two values", ["1", "2"]],
    ["a word", ["many"]],
    ["a fraction", ["1.5"]],
  ])("a bound with %s can never be met", (_, values) => {
    expect(isImpossible(requirementOf({ key: "k", operator: "Gt", values }))).toBe(true);
  });

  test("nothing is greater than the greatest number", () => {
    expect(isImpossible(one("Gt", "9223372036854775807"))).toBe(true);
    expect(allowsValue(one("Lt", "9223372036854775807"), "5")).toBe(true);
  });

  test.each([
    ["+7", 7],
    ["007", 7],
    ["-3", -3],
    ["1e3", undefined],
    ["", undefined],
    ["99999999999999999999", undefined],
  ])("%j as an integer is %s", (text, n) => {
    expect(integerOf(text)).toBe(n);
  });
});

const specs: fc.Arbitrary<RequirementSpec> = fc.oneof(
  fc.record({
    key: fc.constant("k"),
    operator: fc.constantFrom<RequirementOperator>("In", "NotIn"),
    values: fc.uniqueArray(fc.constantFrom("a", "b", "1", "2", "3", "4", "10"), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ key: fc.constant("k"), operator: fc.constantFrom<RequirementOperator>("Exists", "DoesNotExist") }),
  fc.record({
    key: fc.constant("k"),
    operator: fc.constantFrom<RequirementOperator>("Gt", "Lt", "Gte", "Lte"),
    values: fc.integer({ min: 0, max: 5 }).map((n) => [String(n)]),
  }),
);
const requirements = fc.array(specs, { minLength: 1, maxLength: 3 }).map((list) => {
  const [first = one("Exists"), ...rest] = list.map(requirementOf);
  return rest.reduce(intersect, first);
});
/** Every state that the generated requirements tell apart, and some that they do not; undefined: the label is missing. */
const states = [undefined, "a", "b", "c", "0", "1", "2", "3", "4", "5", "6", "10"];
const allows = (requirement: Requirement, state: string | undefined): boolean =>
  state === undefined ? requirement.absent : allowsValue(requirement, state);

describe("laws, for all requirements", () => {
  test("an intersection allows a state exactly when both do", () => {
    fc.assert(
      fc.property(requirements, requirements, (a, b) => {
        const both = intersect(a, b);
        for (const state of states) expect(allows(both, state)).toBe(allows(a, state) && allows(b, state));
      }),
    );
  });

  test("the order of intersecting does not matter", () => {
    fc.assert(
      fc.property(requirements, requirements, requirements, (a, b, c) => {
        expect(keyOfRequirement(intersect(a, b))).toBe(keyOfRequirement(intersect(b, a)));
        expect(keyOfRequirement(intersect(intersect(a, b), c))).toBe(keyOfRequirement(intersect(a, intersect(b, c))));
        expect(keyOfRequirement(intersect(a, a))).toBe(keyOfRequirement(a));
      }),
    );
  });

  test("two overlap exactly when their intersection is possible", () => {
    fc.assert(
      fc.property(requirements, requirements, (a, b) => {
        expect(overlaps(a, b)).toBe(!isImpossible(intersect(a, b)));
        if (states.some((state) => allows(a, state) && allows(b, state))) expect(overlaps(a, b)).toBe(true);
      }),
    );
  });

  test("what lies within another allows nothing beyond it, and an intersection lies within both", () => {
    fc.assert(
      fc.property(requirements, requirements, (a, b) => {
        const allowed = states.filter((state) => allows(a, state));
        if (isWithin(a, b)) expect(allowed.every((state) => allows(b, state))).toBe(true);
        expect(isWithin(intersect(a, b), a)).toBe(true);
        expect(isWithin(intersect(a, b), b)).toBe(true);
      }),
    );
  });

  test("writing and reading back loses nothing", () => {
    fc.assert(
      fc.property(requirements, (requirement) => {
        const [again] = requirementsOf(specsOf(requirement)).values();
        for (const state of states) {
          expect(again === undefined || allows(again, state)).toBe(allows(requirement, state));
        }
      }),
    );
  });

  test("only operators of the API are written, with values that its CRDs accept", () => {
    fc.assert(
      fc.property(requirements, (requirement) => {
        for (const { operator, values = [] } of specsOf(requirement)) {
          expect(requirementOperators).toContain(operator);
          if (operator === "In" || operator === "NotIn") expect(values.length).toBeGreaterThan(0);
          if (operator === "Gt" || operator === "Gte") expect(Number(values[0])).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });
});
