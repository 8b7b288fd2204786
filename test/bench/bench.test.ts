import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { benchTable } from "./bench-table.ts";
import { fleetBench, fleetLine } from "./fleet-bench.ts";
import { generatedMix } from "./generated-mix.ts";
import { growthExponent } from "./result.ts";
import { workloads } from "./workloads.ts";

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

  test("ratios are Karpenter's time over ours, and our price over its and the bound", () => {
    const ours = {
      importMs: 1,
      parseMs: 1,
      coldMs: 20,
      warmMs: 5,
      warmRuns: 3,
      claims: 7,
      pricePerHour: 11,
      unplaced: [],
      types: 3,
      zones: 2,
      peakRssMB: 99,
    };
    const peer = { ms: 1_000, runs: 1, pricePerHour: 22, unplaced: 4, claims: 8, peakRssMB: 1 };
    const [, line = ""] = benchTable([{ workload: "w", pods: 1, ours, peer, boundPerHour: 10 }]).split("\n");
    expect(line.trim().split(/ +/)).toEqual([
      "w",
      "7",
      "20.0",
      "5.0",
      "-",
      "-",
      "1000",
      "50",
      "200",
      "11.00",
      "0.500",
      "1.100",
      "3.0",
      "2.0",
      "0",
      "(4)",
      "99",
    ]);
  });
});
