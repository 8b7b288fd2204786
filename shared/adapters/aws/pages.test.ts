import { expect, test } from "vitest";
import { allPages } from "./pages.ts";

test("all pages are read in order, and an empty token ends the list", async () => {
  const read = async (token: string | undefined) =>
    token === undefined ? { items: [1, 2], next: "a" } : { items: [3], next: "" };
  expect(
    await allPages(
      read,
      ({ items }) => items,
      ({ next }) => next,
    ),
  ).toEqual([1, 2, 3]);
});

test("a list that never ends is an error, and not half a list", async () => {
  const endless = allPages(
    async () => ({ next: "again" }),
    () => [],
    ({ next }) => next,
  );
  await expect(endless).rejects.toThrow("pages");
});
