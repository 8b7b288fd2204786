import { describe, expect, test } from "vitest";
import type { LabelSelector } from "./core-v1/meta.ts";
import { compileSelector, parseSelector, selectorProblems } from "./label-selector.ts";

describe("a selector", () => {
  const labels = { app: "web", tier: "front" };

  test("that is absent selects nothing, one that is empty everything", () => {
    expect(compileSelector(undefined)(labels)).toBe(false);
    expect(compileSelector({})(labels)).toBe(true);
    expect(compileSelector({})(undefined)).toBe(true);
    expect(compileSelector({ matchLabels: {}, matchExpressions: [] })({})).toBe(true);
  });

  test.each<readonly [string, LabelSelector, boolean]>([
    ["an equal label", { matchLabels: { app: "web" } }, true],
    ["all of its labels", { matchLabels: { app: "web", tier: "back" } }, false],
    ["a value of the list", { matchExpressions: [{ key: "app", operator: "In", values: ["db", "web"] }] }, true],
    ["no label outside of the list", { matchExpressions: [{ key: "app", operator: "In", values: ["db"] }] }, false],
    ["no excluded value", { matchExpressions: [{ key: "app", operator: "NotIn", values: ["web"] }] }, false],
    ["an absent label for NotIn", { matchExpressions: [{ key: "zone", operator: "NotIn", values: ["a"] }] }, true],
    ["no absent label for In", { matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] }, false],
    ["a present label for Exists", { matchExpressions: [{ key: "app", operator: "Exists" }] }, true],
    ["no present label for DoesNotExist", { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] }, false],
    ["no inherited name", { matchExpressions: [{ key: "constructor", operator: "Exists" }] }, false],
    [
      "what holds for labels and expressions both",
      { matchLabels: { app: "web" }, matchExpressions: [{ key: "tier", operator: "In", values: ["back"] }] },
      false,
    ],
  ])("selects %s", (_, selector, selected) => {
    expect(compileSelector(selector)(labels)).toBe(selected);
  });

  test("that is invalid is named and selects nothing", () => {
    const selector: LabelSelector = {
      matchLabels: { "a/b/c": "x", ok: "-bad" },
      matchExpressions: [
        { key: "a", operator: "In" },
        { key: "b", operator: "Exists", values: ["x"] },
        { key: "", operator: "NotIn", values: ["no good"] },
        JSON.parse('{"key":"c","operator":"in"}'),
      ],
    };
    expect(selectorProblems(selector).map(({ field }) => field)).toEqual([
      "matchLabels[a/b/c]",
      "matchLabels[ok]",
      "matchExpressions[0].values",
      "matchExpressions[1].values",
      "matchExpressions[2].key",
      "matchExpressions[2].values[0]",
      "matchExpressions[3].operator",
    ]);
    expect(compileSelector({ matchExpressions: [{ key: "a", operator: "NotIn" }] })({})).toBe(false);
  });
});

describe("a selector's text form", () => {
  const sets = [
    {},
    { a: "b" },
    { a: "" },
    { a: "x" },
    { a: "y", c: "d" },
    { a: "6" },
    { a: "4", h: "1" },
    { c: "d", e: "x" },
  ];

  /** Made with Go's apimachinery, labels.Parse: which of the sets are selected; "ERR" where the text is refused. */
  test.each([
    ["", "11111111"],
    [" ", "11111111"],
    ["a", "01111110"],
    ["!a", "10000001"],
    ["! a", "10000001"],
    ["a=b", "01000000"],
    ["a==b", "01000000"],
    ["a != b", "10111111"],
    ["a=", "00100000"],
    ["a!=", "11011111"],
    ["a in (x,y)", "00011000"],
    ["a in (x, y )", "00011000"],
    ["a in ()", "00100000"],
    ["a in (,x)", "00110000"],
    ["a notin (x)", "11101111"],
    ["a notin ()", "11011111"],
    ["a in(x)", "00010000"],
    ["a>5", "00000100"],
    ["a<5", "00000010"],
    ["a>05", "00000100"],
    ["a,c", "00001000"],
    ["a,!c", "01110110"],
    ["a\t=\nb", "01000000"],
    ["a notin(x),c=d", "00001001"],
    ["c=d,e in (x),a notin (q,r)", "00000001"],
    ["a=b,c!=d,e in (x,y),!f", "00000000"],
    ["in in (a)", "00000000"],
    ["a in x", "ERR"],
    ["a>", "ERR"],
    ["a>b", "ERR"],
    ["a>+5", "ERR"],
    ["a>9223372036854775808", "ERR"],
    ["a,", "ERR"],
    [",a", "ERR"],
    ["a,,c", "ERR"],
    ["!a=b", "ERR"],
    ["a b", "ERR"],
    ["a=b c", "ERR"],
    ["a=(b)", "ERR"],
    ["a in (b", "ERR"],
    ["a in b)", "ERR"],
    ["a in ((x))", "ERR"],
    ["a in (x) c", "ERR"],
    ["-a", "ERR"],
    ["x/y/z=1", "ERR"],
    ["a=b/c", "ERR"],
    ["a in (b/c)", "ERR"],
    ["a===b", "ERR"],
    ["a!b", "ERR"],
    ["!", "ERR"],
    ["!!a", "ERR"],
  ])("%j selects as in Go", (text, expected) => {
    const selector = parseSelector(text);
    const selected =
      selector.kind === "problem" ? "ERR" : sets.map((labels) => (selector.matches(labels) ? "1" : "0")).join("");
    expect(selected).toBe(expected);
  });

  test("says where it cannot be read", () => {
    expect(parseSelector("a=b,c ~ d")).toEqual({
      kind: "problem",
      message: 'selector "a=b,c ~ d": expected =, ==, !=, in, notin, < or > and a value after c; got "~ d"',
    });
  });
});
