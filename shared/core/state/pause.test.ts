import { expect, test } from "vitest";
import { nothing } from "../decision.ts";
import type { Snapshot } from "../snapshot.ts";
import { familyOf } from "./key-families.ts";
import { isPaused, type Pause, pauseKey, pauseOf, pauseText, pauseValue, unlessPaused } from "./pause.ts";

const nowMs = Date.parse("2026-01-01T12:00:00Z");

test.each<[string | undefined, Pause | undefined]>([
  [undefined, undefined],
  ["", undefined],
  ["everything", undefined],
  ["all", { kind: "all" }],
  [" all\n", { kind: "all" }],
  ["voluntary", { kind: "voluntary" }],
  ["voluntary until 2026-01-01T12:00:01Z", { kind: "voluntary", untilMs: nowMs + 1_000 }],
  ["all until 2026-01-01T12:00:00Z", undefined],
  ["all until tomorrow", { kind: "all" }],
])("the value %j is the pause %j", (value, pause) => {
  const state = value === undefined ? {} : { [pauseKey]: value };
  expect(pauseOf(state, nowMs)).toEqual(pause);
  expect(isPaused(state, nowMs)).toBe(pause?.kind === "all");
});

test.each<Pause>([{ kind: "all" }, { kind: "voluntary", untilMs: nowMs + 60_000 }])(
  "%j comes back as it was written",
  (pause) => {
    expect(pauseOf({ [pauseKey]: pauseValue(pause) }, nowMs)).toEqual(pause);
  },
);

test("its words name what rests, until when, and how it ends", () => {
  expect(pauseText({ kind: "voluntary", untilMs: nowMs })).toBe(
    "Outrigger is paused until 2026-01-01T12:00:00Z: no node is made for pods, and none is taken by consolidation, drift, expiry, off-hours or repair; outrigger resume ends it",
  );
});

test("no family owns the key, so that no housekeeping ends a pause", () => {
  expect(familyOf(pauseKey)).toBeUndefined();
});

test("a stage rests while there is a pause, and no longer", () => {
  const decided = { ...nothing, againAtMs: 1 };
  const { decide } = unlessPaused({ name: "any", decide: () => decided });
  const at = (value: string): Snapshot => ({ nowMs, cluster: { state: { [pauseKey]: value } } }) as unknown as Snapshot;
  expect(decide(at("voluntary"))).toBe(nothing);
  expect(decide(at("voluntary until 2026-01-01T11:59:59Z"))).toBe(decided);
});
