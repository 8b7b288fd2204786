import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultKinds } from "#core/fault.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");

test("docs/errors.md tells of every kind of fault, what happens next and what to do", () => {
  const rows = new Map(
    page.split("\n").flatMap((line) => {
      const [, kind = "", ...cells] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
      const name = /^`([a-z-]+)`$/.exec(kind)?.[1];
      return name === undefined ? [] : [[name, cells.filter((cell) => cell !== "")] as const];
    }),
  );
  expect([...rows.keys()].sort()).toEqual([...faultKinds].sort());
  for (const [kind, cells] of rows) expect(cells, kind).toHaveLength(3);
});
