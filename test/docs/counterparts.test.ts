import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const folders = ["shared/core", "shared/ec2"];

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`)
    .sort(),
);

/** The comment that opens the file, in one line; "" when it opens with something else. */
function headOf(file: string): string {
  const [, head = ""] = /^\/\*\*(.*?)\*\//s.exec(readFileSync(join(root, file), "utf8")) ?? [];
  return head.replaceAll(/\s*\n \*? ?/g, " ").trim();
}

/** What is amiss with the file's head. */
function amiss(file: string): string | undefined {
  const head = headOf(file);
  const [, counterpart = ""] = /Karpenter counterpart: (\S.*)/.exec(head) ?? [];
  if (counterpart === "") return `${file} does not open with "Karpenter counterpart: <path, or none>"`;
  if (counterpart.startsWith("none")) {
    return /^none\b.{10}/.test(counterpart) ? undefined : `${file} has no counterpart and does not say why`;
  }
  return /[.,:] \S+ \S+/.test(counterpart) ? undefined : `${file} names a path and does not say what differs`;
}

describe("the heads of the files of core and ec2", () => {
  test("name Karpenter's counterpart, or say that there is none, and what differs", () => {
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap((file) => amiss(file) ?? [])).toEqual([]);
  });
});
