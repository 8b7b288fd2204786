import { describe, expect, test } from "vitest";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { Pager } from "./paging.ts";

const items: readonly KubeObject[] = ["a", "b", "c"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name },
}));

describe("Pager", () => {
  test("a list that fits has no rest", () => {
    const page = new Pager({ nowMs: () => 0 }).first(items, 3, "9");
    expect(page).toEqual({ kind: "list", items, resourceVersion: "9" });
  });

  test("a page says how many are left", () => {
    expect(new Pager({ nowMs: () => 0 }).first(items, 1, "9")).toMatchObject({ remainingItemCount: 2 });
  });

  test("a token expires after five minutes", () => {
    let nowMs = 0;
    const pager = new Pager({ nowMs: () => nowMs });
    const token = pager.first(items, 1, "9").continue ?? "";
    nowMs = 5 * 60_000;
    expect(pager.next(token, 1)).toMatchObject({ kind: "list" });
    nowMs += 1;
    expect(pager.next(token, 1)).toMatchObject({ kind: "refused", code: 410, reason: "Expired" });
  });

  test("a token that never was one is a bad request", () => {
    expect(new Pager({ nowMs: () => 0 }).next("nonsense", 1)).toMatchObject({ kind: "refused", code: 400 });
  });
});
