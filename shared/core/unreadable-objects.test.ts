import { expect, test } from "vitest";
import { snapshotOf } from "../../test/support/lifecycle-samples.ts";
import { unreadableObjects } from "./unreadable-objects.ts";

const ref = { kind: "Pod", name: "odd", namespace: "default" } as const;
const fields = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ref, field: `spec.f${index}`, message: "must be a number" }));

test("each object is told once, with its first fields, and the event is not repeated while it lasts", () => {
  const { commands, reasons } = unreadableObjects.decide(snapshotOf({ problems: fields(5) }));
  expect(commands).toEqual([]);
  expect(reasons).toEqual([
    {
      about: ref,
      code: "object-unreadable",
      message:
        "Not acted on, since it cannot be read: spec.f0 must be a number; spec.f1 must be a number; spec.f2 must be a number; and 2 more",
      data: { fields: ["spec.f0", "spec.f1", "spec.f2", "spec.f3", "spec.f4"] },
      event: { type: "Warning", reason: "Unreadable", once: true },
    },
  ]);
});

test("a cluster without such objects hears nothing", () => {
  expect(unreadableObjects.decide(snapshotOf({}))).toEqual({ commands: [], reasons: [] });
});
