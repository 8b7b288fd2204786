import { expect, test } from "vitest";
import { Timeline } from "./timeline.ts";

const startMs = Date.parse("2024-08-14T10:00:00Z");

test("what holds on is told once, whatever its figures do, and again after it was otherwise", () => {
  const timeline = new Timeline(startMs);
  const waiting = (message: string) => [{ kind: "waiting", object: "Pod/default/a", message }] as const;
  timeline.add(startMs, waiting("no pool offers 70 cpu"));
  timeline.add(startMs + 60_000, waiting("no pool offers 71.5 cpu"));
  timeline.add(startMs + 90_500, waiting("limit reached"));
  timeline.add(startMs + 120_000, waiting("no pool offers 70 cpu"));
  expect(timeline.entries.map(({ time, second, message }) => [time, second, message])).toEqual([
    ["2024-08-14T10:00:00Z", 0, "no pool offers 70 cpu"],
    ["2024-08-14T10:01:30Z", 90.5, "limit reached"],
    ["2024-08-14T10:02:00Z", 120, "no pool offers 70 cpu"],
  ]);
});

test("counts that change are news", () => {
  const timeline = new Timeline(startMs);
  timeline.add(startMs, [{ kind: "pods", message: "5 pending" }]);
  timeline.add(startMs, [{ kind: "pods", message: "3 pending" }]);
  timeline.add(startMs, [{ kind: "pods", message: "1 pending, 4 running" }]);
  timeline.add(startMs, [{ kind: "pods", message: "5 pending" }]);
  expect(timeline.entries).toHaveLength(4);
});

test("a run that says too much is cut, and the rest is counted", () => {
  const timeline = new Timeline(startMs);
  timeline.add(
    startMs,
    Array.from({ length: 100_003 }, (_, i) => ({ kind: "note", object: `o${i}`, message: "m" })),
  );
  expect(timeline.entries).toHaveLength(100_000);
  expect(timeline.leftOut).toBe(3);
});
