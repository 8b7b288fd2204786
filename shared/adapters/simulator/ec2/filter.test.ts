import { describe, expect, test } from "vitest";
import { matchesWildcard, passes } from "./filter.ts";

describe("matchesWildcard", () => {
  test.each([
    ["", "", true],
    ["", "a", false],
    ["abc", "abc", true],
    ["abc", "ABC", false],
    ["*", "", true],
    ["a*", "abc", true],
    ["*c", "abc", true],
    ["a*b*c", "a--b--b--c", true],
    ["a*b*c", "a--c", false],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["a\\*c", "a*c", true],
    ["a\\*c", "abc", false],
    ["a.c", "abc", false],
    ["*Private*", "my-Private-1a", true],
  ])("%j against %j is %s", (pattern, value, expected) => {
    expect(matchesWildcard(pattern, value)).toBe(expected);
  });

  test("a pattern of many stars against a long text ends at once", () => {
    const startedMs = performance.now();
    expect(matchesWildcard(`${"*a".repeat(100)}b`, "a".repeat(2_000))).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(500);
  });
});

describe("passes", () => {
  const record = { attributes: { "subnet-id": "subnet-1" }, tags: { team: "web", "k8s.io/role": "" } };

  test("filters are ANDed and the values of one are ORed", () => {
    expect(passes(record, [{ name: "tag:team", values: ["db", "w*"] }])).toBe(true);
    expect(
      passes(record, [
        { name: "tag:team", values: ["web"] },
        { name: "subnet-id", values: ["subnet-2"] },
      ]),
    ).toBe(false);
    expect(passes(record, [])).toBe(true);
  });

  test("tag-key asks for the key alone, also where its value is empty", () => {
    expect(passes(record, [{ name: "tag-key", values: ["k8s.io/role"] }])).toBe(true);
    expect(passes(record, [{ name: "tag-key", values: ["other"] }])).toBe(false);
  });

  test("a filter of an attribute that the record lacks, or without values, never passes", () => {
    expect(passes(record, [{ name: "vpc-id", values: ["*"] }])).toBe(false);
    expect(passes(record, [{ name: "subnet-id", values: [] }])).toBe(false);
  });
});
