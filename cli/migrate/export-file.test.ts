import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
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

function object(name: string, uid: string) {
  return { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name, uid } };
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

test("nobody else reads it: user data is in it", () => {
  const path = join(directory, "export.yaml");
  new ExportFile(path).save([object("a", "1")]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("what cannot be written is said in words", () => {
  expect(new ExportFile(directory).save([object("a", "1")])).toBe(`${directory} cannot be written: is a directory`);
});
