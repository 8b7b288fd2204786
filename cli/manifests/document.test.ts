import { describe, expect, test } from "vitest";
import { documentsOf } from "./document.ts";

const read = (text: string, named = true) => documentsOf({ file: "my.yaml", text, named });
const values = (text: string): readonly unknown[] => read(text).documents.map(({ value }) => value);
const messages = (text: string): readonly string[] =>
  read(text).problems.map(({ line, message }) => `${line}: ${message}`);

describe("YAML is read as kubectl reads it", () => {
  test.each([
    ["yes", true],
    ["off", false],
    ["0644", 420],
    ["0o17", 15],
    ["-0o17", -15],
    ["0x1F", 31],
    ["1e3", 1000],
    ["2024-01-01", "2024-01-01"],
    ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"],
    ["8080:30", "8080:30"],
    ["1:30:00.5", "1:30:00.5"],
    ["~", null],
    ['"yes"', "yes"],
    ["500m", "500m"],
  ])("%s", (text, value) => {
    expect(values(`key: ${text}\n`)).toEqual([{ key: value }]);
  });

  test("keys become texts", () => {
    expect(values("80: a\ntrue: b\n")).toEqual([{ 80: "a", true: "b" }]);
  });

  test("anchors and merge keys are followed", () => {
    expect(values("a: &a {x: 1}\nb:\n  <<: *a\n  z: 2\n")).toEqual([{ a: { x: 1 }, b: { x: 1, z: 2 } }]);
  });

  test("documents are separated, and empty ones do not count", () => {
    expect(values("---\na: 1\n---\n# nothing\n---\nb: 2\n...\n")).toEqual([{ a: 1 }, { b: 2 }]);
  });
});

describe("JSON", () => {
  test("one value, several values, and lists of them are documents", () => {
    expect(values('{"a": 1}\n{"b": 2}')).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test("flow YAML that begins like JSON is YAML", () => {
    expect(values("{a: 1}")).toEqual([{ a: 1 }]);
  });

  test("fields have lines", () => {
    const [, document] = read('{"a": 1}\n{\n  "b": {\n    "c": [1,\n      2]}}').documents;
    expect(document?.lineOf(["b", "c", 1])).toBe(5);
    expect(document?.lineOf(["b", "d"])).toBe(3);
  });
});

describe("lines", () => {
  const text = "# comment\na:\n  b.c/d: 1\n  list:\n    - x: 1\n      z: 2\n    - x: 3\n---\nother: 1\n";
  test.each([
    [[], 2],
    [["a", "b.c/d"], 3],
    [["a", "list", 0, "z"], 6],
    [["a", "list", 1], 7],
    [["a", "list", 1, "missing", "deep"], 7],
    [["a", "list", 5], 4],
  ])("of %j", (path, line) => {
    expect(read(text).documents[0]?.lineOf(path)).toBe(line);
  });

  test("count through the whole file", () => {
    expect(read(text).documents[1]?.lineOf(["other"])).toBe(9);
  });
});

describe("what cannot be read is told with its line, and the other documents are read all the same", () => {
  test("a syntax error", () => {
    const { documents, problems } = read("a: 1\n---\nb: [1,\n---\nc: 3\n");
    expect(problems).toHaveLength(1);
    expect(problems[0]?.line).toBeGreaterThanOrEqual(3);
    expect(problems[0]?.message).toContain("not readable as YAML");
    expect(documents.map(({ value }) => value)).toContainEqual({ a: 1 });
  });

  test("a key given twice", () => {
    expect(messages("a: 1\nb: 2\na: 3\n")).toEqual(["3: not readable as YAML at column 1: Map keys must be unique"]);
  });

  test("broken JSON", () => {
    expect(messages('{"a": 1,\n "b": }\n}')[0]).toMatch(/^[23]: not readable as YAML/);
  });

  test("a template", () => {
    expect(messages("{{- if .Values.on }}\nkind: Pod\n{{- end }}\n")[0]).toContain("helm template");
  });

  test("an alias without anchor", () => {
    expect(messages("a: *nowhere\n")[0]).toContain("nowhere");
  });

  test("aliases that multiply", () => {
    const levels = Array.from({ length: 12 }, (_, i) =>
      i === 0 ? "a0: &a0 [x, x, x, x, x, x, x, x, x]" : `a${i}: &a${i} [${`*a${i - 1}, `.repeat(9)}]`,
    );
    expect(messages(`${levels.join("\n")}\n`)[0]).toContain("alias");
  });

  test.each(["YAML", "JSON"])("%s nested without end", (form) => {
    const text = form === "JSON" ? "[".repeat(500) + "]".repeat(500) : `a: ${"[".repeat(100_000)}`;
    expect(messages(text)[0]).toContain("nested more than 200 levels");
  });

  test("nothing in a file that the user named", () => {
    expect(read("# only a comment\n").problems).toEqual([
      { file: "my.yaml", message: "no manifest in it: it is empty" },
    ]);
    expect(read("# only a comment\n", false).problems).toEqual([]);
  });

  test("more YAML than fits", () => {
    expect(read(`a: "${"x".repeat(13 * 1024 * 1024)}"`).problems[0]?.message).toContain("-o json");
  });
});
