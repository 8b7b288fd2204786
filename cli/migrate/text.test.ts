import { expect, test } from "vitest";
import { stepsForth } from "#controllers/migration/steps.ts";
import { endLines } from "./text.ts";

test("a dry run names the steps that come after the first, in their order", () => {
  const lines = endLines({ kind: "to-do", step: "lease" }, stepsForth, false);
  expect(lines.map((line) => line.split(/ +/)[1] ?? "").filter((word) => word !== "")).toEqual(
    expect.arrayContaining(["hashes", "settings", "plan", "loop", "on"]),
  );
  expect(lines.filter((line) => line.startsWith("then"))).toHaveLength(5);
});

test("a step that stops tells each problem in a line", () => {
  expect(endLines({ kind: "stopped", step: "plan", problems: ["a", "b"] }, stepsForth, false)).toEqual([
    "stop   plan",
    "  a",
    "  b",
  ]);
});

test("whoever is stopped is told who looks after the cluster now", () => {
  const end = { kind: "unseen", message: "cannot read the CRDs: Unauthorized (401)" } as const;
  expect(endLines(end, stepsForth, false, "Nobody scales this cluster now.")).toEqual([
    "cannot read the CRDs: Unauthorized (401)",
    "",
    "Nobody scales this cluster now.",
  ]);
});
