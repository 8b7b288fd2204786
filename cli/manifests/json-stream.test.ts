import { describe, expect, test } from "vitest";
import { jsonPieces } from "./json-stream.ts";

describe("jsonPieces", () => {
  test("cuts values that follow each other, whatever stands in their texts, and knows their lines", () => {
    expect(jsonPieces('{"a": "}\\"{"}\n\n[1, {"b": 2}] {}\n')).toEqual([
      { text: '{"a": "}\\"{"}', line: 1 },
      { text: '[1, {"b": 2}]', line: 3 },
      { text: "{}", line: 3 },
    ]);
  });

  test.each(['{"a": 1', "{}]", "{} x", '{"a": "never closed}', "x", "{} 1"])("%j is no JSON", (text) => {
    expect(jsonPieces(text)).toBeUndefined();
  });

  test("no text is no value", () => {
    expect(jsonPieces(" \n")).toEqual([]);
  });
});
