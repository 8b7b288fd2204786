import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { parseObject } from "#api/parse.ts";
import { outrigger } from "../simulation/command-line.ts";

const folder = new URL("conversion/", import.meta.url);
const names = readdirSync(folder).flatMap((file) => file.match(/^(.+)\.before\.yaml$/)?.slice(1) ?? []);

/** Those whose manifests lack something that only a person can add. */
const unfinished = new Set(["05-ubuntu", "08-workloads"]);

test("there are ten whole manifests", () => {
  expect(names).toHaveLength(10);
});

test.each(names)("%s becomes what it should, and the findings say why", async (name) => {
  const before = new URL(`${name}.before.yaml`, folder).pathname;
  const { code, out, error } = await outrigger("convert", "-f", before);
  const findings = error.replaceAll(before, `${name}.before.yaml`);
  await expect(out).toMatchFileSnapshot(`conversion/${name}.after.yaml`);
  await expect(findings).toMatchFileSnapshot(`conversion/${name}.findings.txt`);
  expect(code).toBe(/^decide:/m.test(findings) ? 1 : 0);
});

test.each(names.filter((name) => !unfinished.has(name)))("%s is valid afterwards", (name) => {
  const text = readFileSync(new URL(`${name}.after.yaml`, folder), "utf8");
  const objects = parseAllDocuments(text).flatMap((document) => {
    const value = document.toJS() as { kind: string; items?: readonly unknown[] };
    return value.kind === "List" ? (value.items ?? []) : [value];
  });
  expect(objects.map(parseObject).filter(({ kind }) => kind === "problems")).toEqual([]);
});

test.each(names)("%s converted once more stays as it is", async (name) => {
  const after = new URL(`${name}.after.yaml`, folder).pathname;
  const { out } = await outrigger("convert", "-f", after);
  expect(out).toBe(readFileSync(after, "utf8"));
});
