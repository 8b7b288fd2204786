import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const notice = readFileSync(join(root, "NOTICE"), "utf8");

test("NOTICE names every project whose data the program holds", () => {
  const texts = readdirSync(join(root, "shared"), { recursive: true, encoding: "utf8" })
    .filter((file) => /[.](ts|json|yaml)$/.test(file) && !file.endsWith(".test.ts"))
    .map((file) => readFileSync(join(root, "shared", file), "utf8"));
  const sources = texts.flatMap((text) =>
    [...text.matchAll(/([\w./-]+)(?: [\d.]+)? \(Apache-2[.]0/g)].map(([, name = ""]) => name),
  );
  expect(sources).toContain("moto");
  expect([...new Set(sources)].filter((name) => !notice.includes(name))).toEqual([]);
});
