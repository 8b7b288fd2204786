import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stagesOf } from "#controllers/stages.ts";
import { ec2Provider } from "#ec2/provider.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8");

test("docs/ARCHITECTURE.md tells the stages of a tick in the order in which they run", () => {
  const table = /## The stages of a tick\n(.*?)\n## /s.exec(page)?.[1] ?? "";
  const told = [...table.matchAll(/^\| `([a-z-]+)` \| \S/gm)].map(([, name]) => name);
  expect(told).toEqual(stagesOf(ec2Provider).map(({ name }) => name));
});

test("every stage is named as the file that it is in", () => {
  const files = ["shared/core", "shared/ec2"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((path) => path.split("/").at(-1)),
  );
  const names = stagesOf(ec2Provider).map(({ name }) => name);
  expect(names.filter((name) => !files.includes(`${name}.ts`))).toEqual([]);
});
