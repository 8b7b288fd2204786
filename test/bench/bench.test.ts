import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { askedOf } from "./bench-options.ts";
import { benchTables, orderLine } from "./bench-table.ts";
import { consolidationWorkloads } from "./consolidation-workloads.ts";
import { fleetBench, fleetLine } from "./fleet-bench.ts";
import { generatedMix } from "./generated-mix.ts";
import { inAnotherOrder } from "./other-order.ts";
import { type BenchRow, growthExponent } from "./result.ts";
import { growthSizes, workloads } from "./workloads.ts";

/** With sorted keys, so that only the content counts. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, canonical(Reflect.get(value, key))]));
}

describe("the generated mix", () => {
  test("is the one that the peer generates", () => {
    const text = JSON.stringify(canonical(JSON.parse(JSON.stringify(generatedMix(1_000, 400, 42)))));
    // Of the output of `peer gen -pods 1000 -types 400 -seed 42`, its keys sorted.
    expect(createHash("sha256").update(text).digest("hex")).toBe(
      "9d234186ea673687d328b8c6696bb50aa79cefbf29eb65484063fce537de88a2",
    );
  });
});

describe("the workloads", () => {
  test("have the real catalogue and ten NodePools and more in three of them", () => {
    const real = workloads.filter(({ name }) => name.startsWith("real-"));
    expect(real).toHaveLength(3);
    for (const workload of real) {
      const { nodePools, instanceTypes } = problemOf(JSON.parse(JSON.stringify(workload.problem())));
      expect(nodePools.length).toBeGreaterThanOrEqual(10);
      expect(instanceTypes.length).toBeGreaterThan(500);
    }
  });

  test("have 4,000 equal pods that prefer and demand nothing", () => {
    const { pods } = problemOf(workloads.find(({ name }) => name === "preferences-4000")?.problem());
    expect(pods).toHaveLength(4_000);
    expect(new Set(pods.map(({ spec }) => JSON.stringify(spec))).size).toBe(1);
    const { nodeAffinity, podAntiAffinity } = pods[0]?.spec.affinity ?? {};
    expect(nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution).toBeUndefined();
    expect(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution).toHaveLength(2);
  });
});

describe("the fleet request", () => {
  test("is made of 600 types and six subnets, narrowed to the 60 cheapest types in each zone", () => {
    const bench = fleetBench();
    expect(bench).toMatchObject({ types: 600, subnets: 6 });
    expect(bench.options).toBeGreaterThan(200);
    expect(bench.options).toBeLessThanOrEqual(360);
    expect(fleetLine(bench)).toMatch(/^fleet request, 600 types × 6 subnets .* ms$/);
  });
});

describe("the figures", () => {
  test("growth is the exponent of the pods", () => {
    const points = [1, 10, 100].map((pods) => ({ pods, ms: 3 * pods ** 1.5 }));
    expect(growthExponent(points)).toBeCloseTo(1.5, 9);
    expect(growthExponent(points.slice(0, 1))).toBeUndefined();
  });

  const ours = {
    importMs: 300,
    parseMs: 40,
    coldMs: 20,
    warmMs: 5,
    warmRuns: 3,
    claims: 7,
    pricePerHour: 11,
    unplaced: [],
    types: 3,
    zones: 2,
    wishes: { met: 3, stated: 4 },
    freshRssMB: 90,
    peakRssMB: 99,
    plain: { ms: 2, pricePerHour: 12 },
    long: { ms: 2_010, pricePerHour: 10.5, improveMs: 2_000 },
    sameShuffled: true,
  };
  const peer = {
    ms: 1_000,
    runs: 2,
    kept: 1,
    pricePerHour: 22,
    unplaced: 4,
    claims: 8,
    peakRssMB: 50,
    types: 4,
    zones: 1,
    wishes: { met: 1, stated: 4 },
    priceRatio: 0.625,
  };
  const row: BenchRow = { workload: "w", pods: 1, ours, peer, boundPerHour: 10 };
  /** Of each table the cells of its only line. */
  const cellsOf = (one: BenchRow): readonly (readonly string[])[] =>
    benchTables([one])
      .split("\n\n")
      .map((lines) => (lines.split("\n")[1] ?? "").trim().split(/ {2,}/));

  test("are set beside Karpenter's: times, the plan, its cost with and without a search, and what is apart", () => {
    expect(cellsOf(row)).toEqual([
      ["w", "20.0", "5.0", "-", "-", "1000", "50", "200"],
      ["w", "7 (8)", "0 (4)", "3.0 (4.0)", "2.0 (1.0)", "75.0 % (25.0 %)"],
      ["w", "11.00", "0.625", "1.100", "1.200", "2.0", "-", "1.050", "2010"],
      ["w", "300", "40.0", "-", "-", "90", "99 (50)", "3", "2, 1 kept"],
    ]);
  });

  test("are there at a quarter of a CPU too", () => {
    const quarter = { importMs: 1_200, parseMs: 160, coldMs: 80, warmMs: 21, plain: { ms: 8, pricePerHour: 12 } };
    const [time, , cost, apart] = cellsOf({ ...row, quarter });
    expect(time?.slice(3, 5)).toEqual(["80.0", "21.0"]);
    expect(cost?.[6]).toBe("8.0");
    expect(apart?.slice(3, 5)).toEqual(["1200", "160"]);
  });

  test("say which workload has another answer when its objects come in another order", () => {
    expect(orderLine([row])).toMatch(/the same, byte for byte/);
    expect(orderLine([row, { ...row, workload: "x", ours: { ...ours, sameShuffled: false } }])).toMatch(
      /ANOTHER for x$/,
    );
    const { sameShuffled: _, ...unasked } = ours;
    expect(orderLine([{ ...row, ours: unasked }])).toBeUndefined();
  });

  test("of growth are taken over five sizes, from 5,000 to 100,000 pods", () => {
    expect(growthSizes).toEqual([5_000, 10_000, 20_000, 50_000, 100_000]);
    const names = workloads.map(({ name }) => name);
    expect(growthSizes.filter((size) => !names.includes(`mix-${size}`))).toEqual([]);
  });
});

describe("the options", () => {
  const names = ["a", "b"];

  test("have defaults", () => {
    expect(askedOf([], names)).toEqual({
      kind: "options",
      options: { peer: true, freshPeer: false, peerRuns: 3, quarter: true, warmMs: 8_000, improveMs: 2_000 },
    });
  });

  test("are all read", () => {
    const words =
      "--only a --only b --json f --no-peer --fresh-peer --peer-runs 5 --no-quarter --warm-ms 10 --improve-ms 0";
    expect(askedOf(words.split(" "), names)).toEqual({
      kind: "options",
      options: {
        only: names,
        json: "f",
        peer: false,
        freshPeer: true,
        peerRuns: 5,
        quarter: false,
        warmMs: 10,
        improveMs: 0,
      },
    });
  });

  test("--help tells each of them, and the workloads", () => {
    const asked = askedOf(["--help"], names);
    expect(asked).toMatchObject({ kind: "said", exitCode: 0 });
    const text = asked.kind === "said" ? asked.text : "";
    for (const option of [
      "only",
      "json",
      "no-peer",
      "fresh-peer",
      "peer-runs",
      "no-quarter",
      "warm-ms",
      "improve-ms",
    ]) {
      expect(text).toContain(`--${option}`);
    }
    expect(text).toContain("Workloads: a, b");
  });

  test("are all shown in the README, which shows no others", () => {
    const page = readFileSync(join(import.meta.dirname, "README.md"), "utf8");
    const all = [...workloads, ...consolidationWorkloads].map(({ name }) => name);
    const shown = [...page.matchAll(/^ {4}npm run bench(?: -- (.*))?$/gm)].map(([, words = ""]) => words);
    for (const words of shown) {
      const asked = askedOf(words === "" ? [] : words.split(" "), all);
      expect(asked.kind === "said" ? asked.exitCode : 0, words).toBe(0);
    }
    const help = askedOf(["--help"], all);
    const known =
      help.kind === "said" ? [...help.text.matchAll(/^ +(?:-h, )?(--[a-z-]+)/gm)].map(([, name]) => name) : [];
    expect(known.filter((name) => !shown.some((words) => words.split(" ").includes(name ?? "")))).toEqual([]);
  });

  test.each([
    [["--only", "c"], "one of a, b"],
    [["--warm"], "unknown option"],
    [["--peer-runs", "0"], "whole number"],
    [["--json"], "argument missing"],
  ])("%j is bad input", (words, message) => {
    const asked = askedOf(words, names);
    expect(asked).toMatchObject({ kind: "said", exitCode: 2 });
    expect(asked.kind === "said" ? asked.text : "").toContain(message);
  });
});

test("another order has the same objects", () => {
  const problem = { options: { x: 1 }, pods: Array.from({ length: 30 }, (_, i) => ({ i })) };
  const other = JSON.parse(JSON.stringify(inAnotherOrder(problem)));
  expect(other.pods).not.toEqual(problem.pods);
  expect(other.pods.toSorted((a: { i: number }, b: { i: number }) => a.i - b.i)).toEqual(problem.pods);
  expect(other.options).toEqual(problem.options);
});
