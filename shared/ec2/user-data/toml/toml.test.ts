import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseToml } from "./parse-toml.ts";
import { isTable, type TomlTable, type TomlValue } from "./toml-value.ts";
import { tomlText } from "./write-toml.ts";

/** Plain objects for maps, "#text" for raw values, so that a test can compare. */
function plain(value: TomlValue): unknown {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(plain);
  if (isTable(value)) return Object.fromEntries([...value].map(([key, each]) => [key, plain(each)]));
  return `#${value.raw}`;
}

function read(text: string): unknown {
  const answer = parseToml(text);
  return answer.kind === "table" ? plain(answer.table) : `line ${answer.line}: ${answer.message}`;
}

describe("reading", () => {
  test.each([
    ['a = "x" # comment', { a: "x" }],
    ["a.b.'c d' = 1", { a: { b: { "c d": "#1" } } }],
    ['a = "\\u00fc\\n\\"\\\\"', { a: 'ü\n"\\' }],
    ["a = 'C:\\n'", { a: "C:\\n" }],
    ['a = """\none\ntwo \\\n   three"""', { a: "one\ntwo three" }],
    ["a = '''\none\n'''", { a: "one\n" }],
    ['a = """x"""""', { a: 'x""' }],
    ["a = [1, 2.5, [true], # c\n 'x',\n]", { a: ["#1", "#2.5", ["#true"], "x"] }],
    ["a = { b = 1, c.d = 'e' }", { a: { b: "#1", c: { d: "e" } } }],
    [
      "a = 1979-05-27T07:32:00Z\nb = 1979-05-27 07:32:00\nc = 07:32:00",
      { a: "#1979-05-27T07:32:00Z", b: "#1979-05-27 07:32:00", c: "#07:32:00" },
    ],
    ["a = 0xFF_0\nb = -1e6\nc = +inf", { a: "#0xFF_0", b: "#-1e6", c: "#+inf" }],
    ["[a.b]\nc = 1\n[a]\nd = 2", { a: { b: { c: "#1" }, d: "#2" } }],
    ["[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3", { a: [{ b: "#1" }, { b: "#2", c: { d: "#3" } }] }],
    ["", {}],
  ])("%j", (text, wanted) => {
    expect(read(text)).toEqual(wanted);
  });

  test.each([
    ["a", 'line 1: "=" is missing'],
    ["a =", "line 1: a value is missing"],
    ["\n\n= 1", "line 3: a key is missing"],
    ['a = "\\q"', "line 1: \\q is no escape"],
    ["a = 1\na.b = 2", "line 2: a.b: a is a value"],
    ["[a]\nb = 1\n[a.b]", "line 3: [a.b]: b is a value"],
    ["a = 01x", "line 1: 01x is no value"],
    ["a = { b = 1", 'line 1: "}" is missing'],
    ...["01", "1_", "1__0", "0x_1", "-0x1", "1.", "2026-13-40", "2026-02-29", "24:99:99"].map((raw) => [
      `a = ${raw}`,
      `line 1: ${raw} is no value`,
    ]),
    ['a = "\\uD800"', "line 1: \\u is no escape"],
    ['a = "x\u0001"', "line 1: a control character needs an escape"],
    ["# x\u0001", "line 1: a control character needs an escape"],
    ["a = {}\n[a.b]", "line 2: [a.b]: a is whole already"],
    ["a = { b.c = 1 }\na.b.d = 2", "line 2: a.b.d: a is whole already"],
    ["a = [{}]\n[[a]]", "line 2: [[a]]: a is whole already"],
    ["[[a]]\n[a]", "line 2: [a] is there twice"],
    ["[a]\nb.c = 1\n[a.b]", "line 3: [a.b] is there twice"],
    ["[a.b]\n[a]\nb.c = 1", "line 3: b.c: b is whole already"],
    [`a = ${"[".repeat(60)}`, "line 1: values are nested too deeply"],
  ])("%j is not TOML", (text, wanted) => {
    expect(read(text)).toContain(wanted);
  });

  test("any text is read or refused, and never thrown at", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."[]{}=.\"'#\\\n ,a1-:T") }), (text) => {
        expect(["table", "problem"]).toContain(parseToml(text).kind);
      }),
    );
  });
});

test("what is written is read again as it was", () => {
  const key = fc.string({ minLength: 1, maxLength: 6 });
  const { table } = fc.letrec<{ table: TomlTable; value: TomlValue }>((tie) => ({
    table: fc.array(fc.tuple(key, tie("value")), { maxLength: 4 }).map((entries) => new Map(entries)),
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer().map((number) => ({ raw: String(number) })),
      fc.array(fc.string(), { maxLength: 3 }),
      tie("table"),
    ),
  }));
  fc.assert(
    fc.property(table, (tree) => {
      expect(read(tomlText(tree))).toEqual(plain(tree));
    }),
  );
});
