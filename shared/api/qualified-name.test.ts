import { describe, expect, test } from "vitest";
import { dnsLabelProblem, dnsSubdomainProblem, labelKeyProblem, labelValueProblem } from "./qualified-name.ts";

/** Made with Go's apimachinery: good as label key, label value, DNS label, DNS subdomain. */
const golden: readonly (readonly [string, boolean, boolean, boolean, boolean])[] = [
  ["", false, true, false, false],
  ["a", true, true, true, true],
  ["1", true, true, true, true],
  ["A-b_c.d", true, true, false, false],
  ["-a", false, false, false, false],
  ["a-", false, false, false, false],
  ["a/b", true, false, false, false],
  ["A/b", false, false, false, false],
  ["a/", false, false, false, false],
  ["/a", false, false, false, false],
  ["a.b/c", true, false, false, false],
  ["a..b/c", false, false, false, false],
  ["a/b/c", false, false, false, false],
  ["a".repeat(63), true, true, true, true],
  ["a".repeat(64), false, false, false, true],
  ["a".repeat(253), false, false, false, true],
  ["a".repeat(254), false, false, false, false],
  [`${"a".repeat(80)}.b/c`, true, false, false, false],
  ["\u00e9", false, false, false, false],
  ["a b", false, false, false, false],
  ["a\n", false, false, false, false],
  ["a.b", true, true, false, true],
  [".a", false, false, false, false],
  ["a_b", true, true, false, false],
];

describe("a name", () => {
  test.each(golden)("%j is good as label key: %s, label value: %s, DNS label: %s, DNS subdomain: %s", (...row) => {
    const [text, ...expected] = row;
    const checks = [labelKeyProblem, labelValueProblem, dnsLabelProblem, dnsSubdomainProblem];
    expect(checks.map((check) => check(text) === undefined)).toEqual(expected);
  });

  test("that is wrong is named, and what would be right", () => {
    expect(labelKeyProblem("a/b/c")).toBe('must be a name or prefix/name with one slash; got "a/b/c"');
    expect(labelKeyProblem("Up/b")).toMatch(/^the part before the slash must consist of lower-case letters/);
    expect(labelValueProblem("x".repeat(64))).toBe("must have at most 63 characters; has 64");
  });

  test("that is very long is not repeated in full", () => {
    expect(labelKeyProblem(`${"a/".repeat(5_000)}`)?.length).toBeLessThan(200);
  });
});
