import { describe, expect, test } from "vitest";
import type { Reason } from "#core/reason.ts";
import { eventsOf } from "./events.ts";

const nominated: Reason = {
  about: { kind: "Pod", namespace: "default", name: "web-1", uid: "u1" },
  code: "pod-placed-on-node",
  message: "Pod should schedule on node-a",
  event: { type: "Normal", reason: "Nominated" },
};

describe("events of reasons", () => {
  test("the same thing said twice within its bucket has one name, and another in the next bucket", () => {
    const [first] = eventsOf([nominated], 0, new Set());
    const [again] = eventsOf([{ ...nominated, message: "Pod should schedule on node-b" }], 60_000, new Set());
    const [later] = eventsOf([nominated], 2 * 60_000, new Set());
    expect(again?.name).toBe(first?.name);
    expect(later?.name).not.toBe(first?.name);
  });

  test("an object made anew under the same name gets its own event", () => {
    const [first] = eventsOf([nominated], 0, new Set());
    const [other] = eventsOf([{ ...nominated, about: { ...nominated.about, uid: "u2" } }], 0, new Set());
    expect(other?.name).not.toBe(first?.name);
  });

  test("what was said already, and reasons without an event, are left out", () => {
    const [first] = eventsOf([nominated], 0, new Set());
    const { event: _, ...silent } = nominated;
    expect(eventsOf([nominated, silent], 0, new Set([first?.name ?? ""]))).toEqual([]);
  });

  test("a long message is cut to what Kubernetes takes", () => {
    const [event] = eventsOf([{ ...nominated, message: "x".repeat(5_000) }], 0, new Set());
    expect(event?.message).toHaveLength(1_000);
  });
});
