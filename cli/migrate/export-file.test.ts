import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { ExportFile } from "./export-file.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-export-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function object(name: string, uid: string, generation = 1) {
  return { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name, uid, generation } };
}

test("a file that is not there holds nothing; what is saved it holds, and what was saved before stays", () => {
  const path = join(directory, "export.yaml");
  const file = new ExportFile(path);
  const [a, b] = [
    object("a", "11111111-0000-0000-0000-000000000000"),
    object("b", "22222222-0000-0000-0000-000000000000"),
  ];
  expect(file.holds([a])).toBe(false);
  expect(file.save([a])).toBeUndefined();
  expect([file.holds([a]), file.holds([a, b])]).toEqual([true, false]);
  expect(file.save([a, b])).toBeUndefined();
  expect(new ExportFile(path).holds([a, b])).toBe(true);
  expect(parseAllDocuments(readFileSync(path, "utf8")).map((document) => document.toJS())).toEqual([a, a, b]);
});

test("what changed since an earlier migration is not in it, nor an object that only others name", () => {
  const path = join(directory, "export.yaml");
  const file = new ExportFile(path);
  const owned = { ...object("a", "1"), spec: { ownerReferences: [{ uid: "2" }] } };
  file.save([owned]);
  expect([file.holds([owned]), file.holds([object("a", "1", 2)]), file.holds([object("b", "2")])]).toEqual([
    ...[true, false, false],
  ]);
});

test("half a document of a run that was killed is none, and what comes after it stays readable", () => {
  const path = join(directory, "export.yaml");
  const [a, b] = [object("a", "1"), object("b", "2")];
  new ExportFile(path).save([a, b]);
  const text = readFileSync(path, "utf8");
  writeFileSync(path, text.slice(0, text.indexOf("name: b") + "name: b".length));
  expect(new ExportFile(path).holds([a, b])).toBe(false);
  new ExportFile(path).save([a, b]);
  expect(new ExportFile(path).holds([a, b])).toBe(true);
  expect(
    parseAllDocuments(readFileSync(path, "utf8"))
      .map((document) => document.toJS())
      .slice(2),
  ).toEqual([a, b]);
});

test("nobody else reads it: user data is in it", () => {
  const path = join(directory, "export.yaml");
  new ExportFile(path).save([object("a", "1")]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("what cannot be written is said in words", () => {
  expect(new ExportFile(directory).save([object("a", "1")])).toBe(`${directory} cannot be written: is a directory`);
});
