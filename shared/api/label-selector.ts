/**
 * Label selectors of Kubernetes objects. Karpenter counterpart: k8s.io/apimachinery metav1.LabelSelectorAsSelector. It
 * differs: an invalid selector is named by `selectorProblems` and selects nothing; nothing is thrown.
 */
import type { LabelSelector, LabelSelectorRequirement } from "./core-v1/meta.ts";
import { labelKeyProblem, labelValueProblem } from "./qualified-name.ts";

export type Labels = Readonly<Record<string, string>>;
export type LabelPredicate = (labels: Labels | undefined) => boolean;

type LabelCheck = (labels: Labels) => boolean;

export interface SelectorProblem {
  /** Path below the selector: `matchExpressions[1].values`. */
  readonly field: string;
  readonly message: string;
}

/** An absent selector selects nothing, an empty one everything. NotIn and DoesNotExist hold where the label is absent. */
export function compileSelector(selector: LabelSelector | undefined): LabelPredicate {
  if (selector === undefined || selectorProblems(selector).length > 0) return () => false;
  const wanted = Object.entries(selector.matchLabels ?? {});
  const expressions = (selector.matchExpressions ?? []).map(compileExpression);
  return (labels = {}) =>
    wanted.every(([key, text]) => labelOf(labels, key) === text) && expressions.every((holds) => holds(labels));
}

function compileExpression({ key, operator, values = [] }: LabelSelectorRequirement): LabelCheck {
  const set = new Set<string | undefined>(values);
  switch (operator) {
    case "In":
      return (labels) => set.has(labelOf(labels, key));
    case "NotIn":
      return (labels) => !set.has(labelOf(labels, key));
    case "Exists":
      return (labels) => labelOf(labels, key) !== undefined;
    case "DoesNotExist":
      return (labels) => labelOf(labels, key) === undefined;
  }
}

/** A label's value; names like `constructor` are no labels of an object that lacks them. */
export function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** What the API server would refuse, at most one entry a field. */
export function selectorProblems(selector: LabelSelector): readonly SelectorProblem[] {
  const labels = Object.entries(selector.matchLabels ?? {}).flatMap(([key, text]) =>
    named(`matchLabels[${key}]`, labelKeyProblem(key) ?? labelValueProblem(text)),
  );
  const expressions = (selector.matchExpressions ?? []).flatMap((expression, i) =>
    expressionProblems(expression, `matchExpressions[${i}]`),
  );
  return [...labels, ...expressions];
}

function expressionProblems(expression: LabelSelectorRequirement, at: string): readonly SelectorProblem[] {
  return [
    ...named(`${at}.key`, labelKeyProblem(expression.key)),
    ...operatorProblems(expression, at),
    ...(expression.values ?? []).flatMap((text, i) => named(`${at}.values[${i}]`, labelValueProblem(text))),
  ];
}

function operatorProblems({ operator, values = [] }: LabelSelectorRequirement, at: string): readonly SelectorProblem[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values.length > 0 ? [] : named(`${at}.values`, `must name at least one value with operator ${operator}`);
    case "Exists":
    case "DoesNotExist":
      return values.length === 0 ? [] : named(`${at}.values`, `must be empty with operator ${operator}`);
    default:
      return named(
        `${at}.operator`,
        `must be In, NotIn, Exists or DoesNotExist; got ${JSON.stringify(operator satisfies never)}`,
      );
  }
}

function named(field: string, message: string | undefined): readonly SelectorProblem[] {
  return message === undefined ? [] : [{ field, message }];
}

export type SelectorText =
  | { readonly kind: "selector"; readonly matches: LabelPredicate }
  | { readonly kind: "problem"; readonly message: string };

const int64Max = 2n ** 63n - 1n;
const term = /^(!)?\s*([^\s=!(),><]+)\s*(.*)$/s;
const comparison = /^(==|=|!=|>|<)\s*([^\s=!(),><]*)$/;
const membership = /^(in|notin)\s*\(([^()!=<>]*)\)$/;

/** The text form of list calls: `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>5`. Empty text selects everything. */
export function parseSelector(text: string): SelectorText {
  if (text.trim() === "") return { kind: "selector", matches: () => true };
  const predicates: LabelCheck[] = [];
  for (const part of splitTerms(text)) {
    const predicate = parseTerm(part);
    if (typeof predicate === "string")
      return { kind: "problem", message: `selector ${JSON.stringify(text)}: ${predicate}` };
    predicates.push(predicate);
  }
  return { kind: "selector", matches: (labels = {}) => predicates.every((holds) => holds(labels)) };
}

/** At the commas outside of parentheses. */
function splitTerms(text: string): readonly string[] {
  return text.split(/,(?![^(]*\))/);
}

function parseTerm(text: string): LabelCheck | string {
  const match = term.exec(text.trim());
  if (match === null) return `expected a label key; got ${JSON.stringify(text.trim())}`;
  const [, not, key = "", rest = ""] = match;
  const problem = labelKeyProblem(key);
  if (problem !== undefined) return `key ${problem}`;
  if (rest === "") return compileExpression({ key, operator: not === undefined ? "Exists" : "DoesNotExist" });
  const check = not === undefined ? parseOperation(key, rest) : undefined;
  return check ?? `expected =, ==, !=, in, notin, < or > and a value after ${key}; got ${JSON.stringify(rest)}`;
}

function parseOperation(key: string, text: string): LabelCheck | string | undefined {
  const set = membership.exec(text);
  if (set !== null) return valuesTerm(key, set[1] === "in" ? "In" : "NotIn", (set[2] ?? "").split(","));
  const [, operator, operand = ""] = comparison.exec(text) ?? [];
  if (operator === undefined) return undefined;
  if (operator === ">" || operator === "<") return orderTerm(key, operator, operand);
  return valuesTerm(key, operator === "!=" ? "NotIn" : "In", [operand]);
}

function valuesTerm(key: string, operator: "In" | "NotIn", texts: readonly string[]): LabelCheck | string {
  const values = texts.map((text) => text.trim());
  const problem = values.map(labelValueProblem).find((message) => message !== undefined);
  return problem === undefined ? compileExpression({ key, operator, values }) : `value of ${key} ${problem}`;
}

function orderTerm(key: string, operator: ">" | "<", operand: string): LabelCheck | string {
  const bound = integer(operand);
  if (bound === undefined) return `value of ${key} must be an integer with ${operator}; got ${JSON.stringify(operand)}`;
  return (labels) => {
    const number = integer(labelOf(labels, key) ?? "");
    return number !== undefined && (operator === ">" ? number > bound : number < bound);
  };
}

function integer(text: string): bigint | undefined {
  return /^[0-9]{1,19}$/.test(text) && BigInt(text) <= int64Max ? BigInt(text) : undefined;
}
