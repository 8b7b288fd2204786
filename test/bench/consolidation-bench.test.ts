import { describe, expect, test } from "vitest";
import { disruptProblem } from "../../cli/solve/disrupt.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { consolidationTable } from "./consolidation-bench.ts";
import { consolidationWorkloads, equalNodes, manyTypes } from "./consolidation-workloads.ts";

describe("the workloads of consolidation", () => {
  test("have the sizes that are named", () => {
    expect(consolidationWorkloads.map(({ name }) => name)).toEqual([
      "single-1000",
      "multi-1000",
      "late-1000",
      "single-5000",
    ]);
  });

  test("nearly full equal nodes cannot go, a third full they go together", () => {
    const { run } = disruptProblem(problemOf(equalNodes({ nodes: 30, util: 0.98, jitter: 0 })), "single");
    expect(run.decision).toBe("no-op");
    const { run: together } = disruptProblem(problemOf(equalNodes({ nodes: 30, util: 0.3, jitter: 0.2 })), "multi");
    expect(together.decision).toMatch(/^(delete|replace) \d\d nodes/);
  });

  test("of many types only the cheapest nodes can go", () => {
    const { commands } = disruptProblem(problemOf(manyTypes(120)), "single");
    expect(commands.map(({ decision }) => decision)).toEqual(["delete"]);
    expect(Number(commands[0]?.candidates[0]?.slice(5))).toBeLessThan(5);
  });
});

test("the table gives times, ratio and both decisions", () => {
  const row = { workload: "w", freshMs: 200, warmMs: 50, decision: "delete 2 nodes -> 0", peakRssMB: 100 };
  expect(consolidationTable([{ ...row, peerMs: 104_000, peerDecision: "no-op" }])).toMatch(
    /w +104 s +200 ms +50 ms +– +– +2080× +100 MB +delete 2 nodes -> 0 +no-op$/,
  );
  expect(consolidationTable([row])).toContain("–");
  const quarter = { freshMs: 800, warmMs: 210 };
  expect(consolidationTable([{ ...row, quarter }])).toMatch(/200 ms +50 ms +800 ms +210 ms/);
});
