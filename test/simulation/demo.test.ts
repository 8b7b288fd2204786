import { describe, expect, test } from "vitest";
import type { SimulationResult } from "../../cli/simulate/result.ts";
import type { EntryKind, TimelineEntry } from "../../cli/simulate/timeline-entry.ts";
import { outrigger, simulated } from "./command-line.ts";

const of = (result: SimulationResult, kind: EntryKind): readonly TimelineEntry[] =>
  result.timeline.filter((entry) => entry.kind === kind);

describe("the demo", () => {
  test("plays every act and ends with three pods on one node", async () => {
    const { code, result } = await simulated(undefined);
    expect(code).toBe(0);
    expect(result.pods.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Running"]);
    expect(result.claims).toHaveLength(1);
    expect(result.nodes).toHaveLength(1);
    expect(result.unplaced).toEqual([]);
    expect(result.cost.perHour).toBeGreaterThan(0);
    expect(result.cost.total).toBeGreaterThan(0);
    for (const kind of [
      "apply",
      "pods",
      "decision",
      "launch",
      "registered",
      "ready",
      "interruption",
      "eviction",
      "scale",
    ] as const) {
      expect(of(result, kind), kind).not.toEqual([]);
    }
  });

  test("says with each decision how many types were looked at, which one and at what price", async () => {
    const { result } = await simulated(undefined);
    for (const { message } of of(result, "decision")) {
      expect(message).toMatch(/for \d+ pods?: \d+ of \d+ instance types/);
      expect(message).toMatch(/cheapest is \S+ spot in us-east-1[abc] at \$\d+[.]\d+/);
    }
  });

  test("launches the replacement of an interrupted node in the tick that decides it, before any pod leaves", async () => {
    const { result } = await simulated(undefined);
    const warning = of(result, "interruption")[0]?.second ?? Number.NaN;
    const decision = of(result, "decision").find(({ second }) => second >= warning);
    const launch = of(result, "launch").find(
      ({ second, message }) => second >= warning && message.startsWith("Launched"),
    );
    const eviction = of(result, "eviction")[0]?.second ?? Number.NaN;
    expect((decision?.second ?? Number.NaN) - warning).toBeLessThan(10);
    expect(launch?.object).toBe(decision?.object);
    expect((launch?.second ?? Number.NaN) - (decision?.second ?? Number.NaN)).toBeLessThan(5);
    expect(eviction).toBeGreaterThan(launch?.second ?? Number.NaN);
    expect(eviction - warning).toBeLessThan(120);
  });

  test("shows the claims while they live and at the end, and the cost, without control codes in a pipe", async () => {
    const { code, out, error } = await outrigger("simulate");
    expect(code).toBe(0);
    expect(error).toBe("");
    for (const code of ["\u001b", "\r"]) expect(out).not.toContain(code);
    expect(out.match(/^NAME .* NODECLASS +DRIFTED/gm)).toHaveLength(2);
    expect(out).toMatch(/cost: \$\d+[.]\d+ per hour, \$\d+[.]\d+ in total over \d+ simulated minutes/);
  });

  test("one seed is one run, byte for byte", async () => {
    const [first, second] = [await outrigger("simulate", "--seed", "7"), await outrigger("simulate", "--seed", "7")];
    expect(second.out).toBe(first.out);
  });

  test.each(Array.from({ length: 10 }, (_, i) => i + 100))("comes to its end with seed %i", async (seed) => {
    const { code, error } = await outrigger("simulate", "--seed", String(seed));
    expect(error).toBe("");
    expect(code).toBe(0);
  });
});

test("the demo consolidates, and replaces a node that boots an old image when the new one is ready", async () => {
  const { result } = await simulated(undefined);
  const together = of(result, "disruption").find(({ message }) => message.startsWith("Underutilized"));
  expect(together?.message).toMatch(
    /^Underutilized: this node goes; \d+ pods? moves?; \$0[.]\d+ an hour before, \$0[.]0000 after; /,
  );
  const [drift, command, end] = of(result, "disruption").filter(({ message }) => message.includes("Drifted"));
  expect(drift?.message).toMatch(/^Drifted: AMIDrift, \S+ runs ami-\w+; it boots ami-\w+ \(.*-v20241024\) now$/);
  expect(command?.message).toMatch(
    /^Drifted: this node goes when a replacement is ready, at the cheapest .*; 3 pods move; /,
  );
  const ready = of(result, "ready").find(({ second }) => second > (command?.second ?? Number.NaN));
  expect(end).toMatchObject({ second: ready?.second, message: "Disrupted: Drifted", object: command?.object });
  expect(result.ended).toEqual({ drifted: 1, spot_interrupted: 1, underutilized: 1 });
  expect(result.claims.map(({ status }) => status?.conditions?.some(({ type }) => type === "Drifted"))).toEqual([
    false,
  ]);
});
