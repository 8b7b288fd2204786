import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type KeyFamily, keyFamilies } from "#core/state/key-families.ts";

const root = join(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const decisions = ["shared/core", "shared/ec2"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`),
);

test("every patch of the state is made by statePatches, which keeps the bounds of the table", () => {
  const makers = decisions.filter((file) => /kind: "patch-state"[,\s]/.test(read(file)));
  expect(makers).toEqual(["shared/core/state/state-patch.ts"]);
});

test("no prefix of a family is written anywhere but in the table", () => {
  const table = "shared/core/state/key-families.ts";
  const prefixes = Object.values<KeyFamily>(keyFamilies).map(({ prefix }) => `"${prefix}`);
  const writers = decisions.filter((file) => file !== table && prefixes.some((prefix) => read(file).includes(prefix)));
  expect(writers).toEqual([]);
});

test.each(Object.entries<KeyFamily>(keyFamilies))(
  "the family %s is used by the file that the table names",
  (name, family) => {
    expect(read(family.writtenBy)).toContain(`keyFamilies.${name}`);
  },
);
