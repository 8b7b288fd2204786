import { describe, expect, test } from "vitest";
import { type HashedValue, structureHash } from "./structure-hash.ts";

/** Go: struct T with A string, B list, C map, D pointer to int, E int, F bool. */
function t(fields: Readonly<Record<string, HashedValue | undefined>>): HashedValue {
  return { kind: "struct", name: "T", fields: Object.entries(fields) };
}
const list = (...members: string[]): HashedValue => ({ kind: "list", members });

describe("a structure's hash", () => {
  /** Made with hashstructure v2.0.2 and Karpenter's options. */
  test.each<readonly [string, HashedValue, string]>([
    ["a text field", t({ A: "x" }), "11292635325433237318"],
    ["a list", t({ A: "x", B: list("a", "b") }), "2219778078971081896"],
    ["the list in another order", t({ A: "x", B: list("b", "a") }), "2219778078971081896"],
    ["a map", t({ A: "x", C: { kind: "map", entries: { k: "v", k2: "v2" } } }), "2196994444821457940"],
    ["a pointer and a boolean", t({ D: { kind: "pointer", to: 5n }, E: 0n, F: true }), "11327234499383332490"],
    ["zero values only", t({ A: "", D: undefined, E: 0n, F: false }), "12638153115695167371"],
    ["a text", "abc", "15626587013303479755"],
    ["an integer", 7n, "4865742928595613128"],
    ["a boolean", true, "12638153115695167454"],
    ["a float", 1.5, "12161883048204943186"],
    ["a list of one", list("a"), "12638153115695167422"],
    ["a list of two equals, which cancel out", list("a", "a"), "0"],
    ["a list of three equals", list("a", "a", "a"), "12638153115695167422"],
  ])("of %s is Go's", (_, value, hash) => {
    expect(structureHash(value).toString()).toBe(hash);
  });

  test("depends on the order in which fields are declared", () => {
    expect(structureHash(t({ A: "x", E: 1n }))).not.toBe(structureHash(t({ E: 1n, A: "x" })));
  });

  test("reads a lone surrogate as the replacement character", () => {
    expect(structureHash("a\ud800b")).toBe(structureHash("a\ufffdb"));
  });
});
