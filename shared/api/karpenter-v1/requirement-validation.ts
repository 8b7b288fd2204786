/** Karpenter counterpart: the CEL rules on `requirements` of NodePool and NodeClaim; same answers. */
import { list } from "../shape/collection.ts";
import { object, optional, required } from "../shape/object.ts";
import { integer, oneOf, text } from "../shape/scalar.ts";
import { checked, type Rule, type Shape } from "../shape/shape.ts";
import { qualifiedName } from "./patterns.ts";
import { type RequirementOperator, type RequirementSpec, requirementOperators } from "./requirement.ts";

/** Karpenter: maxItems of requirements. */
export const maxRequirements = 100;
/** Karpenter: a domain of 253 characters, a slash, a name of 62. */
const maxKeyLength = 316;
const maxMinValues = 50;
const maxInt64 = 9_223_372_036_854_775_807n;

const comparisons: ReadonlySet<RequirementOperator> = new Set(["Gt", "Lt", "Gte", "Lte"]);

/** True for a decimal integer from 0 to the largest int64, as Go reads one ("+5" and "007" too). */
export function isBound(value: string): boolean {
  if (!/^[+-]?[0-9]+$/.test(value)) return false;
  const bound = BigInt(value.startsWith("+") ? value.slice(1) : value);
  return bound >= 0n && bound <= maxInt64;
}

/** What is wrong with operator, values and minValues taken together, or undefined. */
export function requirementProblem(requirement: RequirementSpec): string | undefined {
  const { operator, values = [], minValues } = requirement;
  if (operator === "In" && values.length === 0) return "operator In needs at least one value";
  if (comparisons.has(operator)) {
    const [bound] = values;
    if (values.length !== 1 || bound === undefined || !isBound(bound)) {
      return `operator ${operator} needs exactly one value, a whole number of at least 0; got ${JSON.stringify(values).slice(0, 60)}`;
    }
  }
  if (operator === "In" && minValues !== undefined && values.length < minValues) {
    return `minValues ${minValues} needs at least as many values; has ${values.length}`;
  }
  return undefined;
}

const consistent: Rule<readonly RequirementSpec[]> = (requirements, note) => {
  requirements.forEach((requirement, index) => {
    const problem = requirementProblem(requirement);
    if (problem !== undefined) note(problem, index);
  });
};

/** `keyProblem` says which labels may not be required. */
export function requirements(keyProblem: (key: string) => string | undefined): Shape<readonly RequirementSpec[]> {
  const key: Shape<string> = checked(qualifiedName({ max: maxKeyLength }), (name, note) => {
    const problem = keyProblem(name);
    if (problem !== undefined) note(problem);
  });
  const requirement = object<RequirementSpec>(
    {
      key: required(key),
      operator: required(oneOf(requirementOperators)),
      values: optional(list(text())),
      minValues: optional(integer(1, maxMinValues)),
    },
    { complete: true },
  );
  return list(requirement, { max: maxRequirements, rules: [consistent] });
}

/** Requirements that a controller wrote and nobody restricts: those of an AMI in a node class's status. */
export const plainRequirements: Shape<readonly RequirementSpec[]> = list(
  object<RequirementSpec>({
    key: required(text()),
    operator: required(text() as Shape<RequirementOperator>),
    values: optional(list(text())),
    minValues: optional(integer(1, maxMinValues)),
  }),
);
