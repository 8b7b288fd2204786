import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8");
const map = /## Code map\n(.*?)\n## /s.exec(page)?.[1] ?? "";

/** A folder whose own folders are of its own making (a resource a folder, say) is one place on the map. */
const foldersOf = (path: string): readonly string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${path}/${name}`);

test("the code map has every place where code lives", () => {
  const places = [
    ...foldersOf("shared").filter((folder) => folder !== "shared/adapters"),
    ...["shared/core", "shared/ec2", "shared/adapters", "cli"].flatMap(foldersOf),
  ];
  expect(places.length).toBeGreaterThan(15);
  expect(places.filter((place) => !map.includes(`\`${place}/\``))).toEqual([]);
});
