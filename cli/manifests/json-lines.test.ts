import { describe, expect, test } from "vitest";
import { JsonLines } from "./json-lines.ts";

describe("JsonLines", () => {
  test("finds keys, items of lists, and the nearest parent of what is missing", () => {
    const lines = new JsonLines('{\n "a": {"b\\n\\"": 1,\n  "c": [1, "x]",\n   {"d": null}\n  ]\n },\n "e": "}{"\n}');
    expect(lines.lineOf([])).toBe(1);
    expect(lines.lineOf(["a"])).toBe(2);
    expect(lines.lineOf(["a", 'b\n"'])).toBe(2);
    expect(lines.lineOf(["a", "c"])).toBe(3);
    expect(lines.lineOf(["a", "c", 2, "d"])).toBe(4);
    expect(lines.lineOf(["a", "c", 9])).toBe(3);
    expect(lines.lineOf(["a", "c", 0, "deeper"])).toBe(3);
    expect(lines.lineOf(["e"])).toBe(7);
    expect(lines.lineOf(["nowhere"])).toBe(1);
  });

  test("of a key that comes twice, the last counts, as for JSON.parse", () => {
    expect(new JsonLines('{"a": 1,\n"a": {"b":\n2}}').lineOf(["a", "b"])).toBe(2);
  });

  test("twenty thousand items of 20 MiB are found in a moment, each on its line", () => {
    const item = JSON.stringify({ kind: "Pod", text: "x".repeat(1_000) });
    const count = 20_000;
    const lines = new JsonLines(`{"items": [\n${Array.from({ length: count }, () => item).join(",\n")}\n]}`);
    const startedMs = performance.now();
    for (let index = 0; index < count; index++) {
      if (lines.lineOf(["items", index, "text"]) !== index + 2) throw new Error(`item ${index}`);
    }
    // Once through takes well under a second; once for each item would take hours.
    expect(performance.now() - startedMs).toBeLessThan(20_000);
  });
});
