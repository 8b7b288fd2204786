import { describe, expect, test } from "vitest";
import { mergePatch } from "./merge-patch.ts";

describe("mergePatch", () => {
  // The cases of RFC 7396, appendix A, that concern objects.
  test.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ["text", { a: 1 }, { a: 1 }],
  ])("%j patched with %j is %j", (target, patch, expected) => {
    expect(mergePatch(target, patch)).toEqual(expected);
  });

  test("neither side is changed, and later changes of the patch do not reach the result", () => {
    const target = { metadata: { labels: { a: "1" } } };
    const patch = { metadata: { labels: { b: "2" } }, list: [{ x: 1 }] };
    const result = mergePatch(target, patch) as { readonly list: readonly { readonly x: number }[] };
    expect(target).toEqual({ metadata: { labels: { a: "1" } } });
    for (const item of patch.list) item.x = 2;
    expect(result.list).toEqual([{ x: 1 }]);
  });

  test("a key named __proto__ changes no prototype", () => {
    const result = mergePatch({}, JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(result).toEqual({});
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });
});
