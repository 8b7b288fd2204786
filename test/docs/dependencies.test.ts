import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/dependencies.md"), "utf8");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Readonly<
  Record<"dependencies" | "devDependencies" | "optionalDependencies", Readonly<Record<string, string>>>
>;

test("docs/dependencies.md has a line for every dependency at its version, and for no other", () => {
  const wanted = Object.entries({
    ...manifest.dependencies,
    ...manifest.devDependencies,
    ...manifest.optionalDependencies,
  }).map(([name, version]) => `${name} ${version.replace("npm:typescript@", "")}`);
  const told = [...page.matchAll(/`([@a-z][^`]*)` (?:\(`typescript` )?(\d+[.]\d+[.]\d+)/g)].map(
    ([, name, version]) => `${name} ${version}`,
  );
  expect(told.sort()).toEqual(wanted.sort());
});

test("versions are exact", () => {
  for (const version of Object.values({ ...manifest.dependencies, ...manifest.devDependencies })) {
    expect(version).toMatch(/^(npm:typescript@)?\d+[.]\d+[.]\d+$/);
  }
});
