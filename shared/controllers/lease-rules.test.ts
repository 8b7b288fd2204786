import { describe, expect, test } from "vitest";
import type { LeaseRecord } from "#ports/lease.ts";
import { acquisition, isFree, released, renewed } from "./lease-rules.ts";

const nowMs = Date.parse("2026-01-31T12:00:00Z");
const held: LeaseRecord = {
  ...{ holder: "one", successor: "", renewedAtMs: nowMs - 1_000, durationMs: 15_000, transitions: 4, version: "7" },
};

describe("acquiring a Lease", () => {
  test("takes one that is not there yet", () => {
    expect(acquisition(undefined, "me", false, nowMs)).toMatchObject({
      kind: "take",
      next: { holder: "me", transitions: 0 },
    });
  });

  test("takes one that was released, and counts that it changed hands", () => {
    const step = acquisition({ ...held, holder: "", successor: "me" }, "me", true, nowMs);
    expect(step).toMatchObject({ kind: "take", next: { holder: "me", successor: "", transitions: 5 } });
  });

  test("takes one whose holder did not renew it, by the API server's clock, and not a moment earlier", () => {
    expect(isFree(held, held.renewedAtMs + 15_000)).toBe(false);
    expect(acquisition(held, "me", false, held.renewedAtMs + 15_000).kind).toBe("ask");
    expect(acquisition(held, "me", false, held.renewedAtMs + 15_001).kind).toBe("take");
  });

  test("asks the holder by name and changes nothing else", () => {
    const { version: _, ...rest } = held;
    expect(acquisition(held, "me", false, nowMs)).toEqual({ kind: "ask", next: { ...rest, successor: "me" } });
    expect(acquisition({ ...held, successor: "me" }, "me", true, nowMs)).toEqual({ kind: "wait" });
  });

  test("takes the place of an earlier successor, who then yields", () => {
    expect(acquisition({ ...held, successor: "earlier" }, "me", false, nowMs)).toMatchObject({
      next: { successor: "me" },
    });
    expect(acquisition({ ...held, successor: "me" }, "earlier", true, nowMs)).toEqual({ kind: "yield" });
    expect(acquisition({ ...held, holder: "", successor: "me" }, "earlier", true, nowMs)).toEqual({ kind: "yield" });
  });
});

test("a renewal keeps who waits, a release keeps it too and names no holder", () => {
  const asked = { ...held, successor: "me" };
  expect(renewed(asked, nowMs)).toMatchObject({ holder: "one", successor: "me", renewedAtMs: nowMs });
  expect(released(asked, nowMs)).toMatchObject({ holder: "", successor: "me" });
});
