import { createColors } from "picocolors";
import { expect, test } from "vitest";
import type { TimelineEntry } from "./timeline-entry.ts";
import { clockText, entryLines } from "./timeline-text.ts";

const plain = createColors(false);
const entry: TimelineEntry = {
  time: "2026-10-27T08:04:07Z",
  second: 247,
  kind: "registered",
  object: "NodeClaim/default-1x2y3z",
  message: "joined the cluster as ip-10-0-1-7.ec2.internal after 41 seconds",
};

test("in a pipe an entry is one line without control codes", () => {
  expect(entryLines(entry, plain)).toEqual([
    "00:04:07  registered    NodeClaim/default-1x2y3z: joined the cluster as ip-10-0-1-7.ec2.internal after 41 seconds",
  ]);
});

test("a narrow terminal gets hanging lines that fit", () => {
  const lines = entryLines(entry, plain, 60);
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(line.length).toBeLessThan(60);
  expect(lines[1]).toMatch(/^ {24}\S/);
});

test("colours are added where they are wanted", () => {
  expect(entryLines(entry, createColors(true))[0]).toContain("\u001b[32m");
});

test("times above a day go on counting hours", () => {
  expect(clockText(100 * 3600 + 61)).toBe("100:01:01");
});
