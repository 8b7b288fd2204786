import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");
const pages = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith(".md"),
);

test.each(pages)("every path that %s names is there", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const paths = [...text.matchAll(/`((?:shared|cli|test|tools|docs|lambdas|infra)\/[^\s`*]*)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test.each(pages)("every link of %s into the project leads somewhere", (page) => {
  const text = readFileSync(join(root, page), "utf8");
  const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) => join(root, page, "..", path));
  expect(links.filter((path) => !existsSync(path))).toEqual([]);
});
