import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const check = join(import.meta.dirname, "../../tools/check.mjs");

function run(...words: readonly string[]): { readonly status: number | null; readonly error: string } {
  const { status, stderr } = spawnSync(process.execPath, words, { encoding: "utf8" });
  return { status, error: stderr.trim() };
}

describe("npm run check", () => {
  test("refuses an old Node in one line instead of reporting failures that are its own", () => {
    const old = `data:text/javascript,${encodeURIComponent('Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });')}`;
    const { status, error } = run("--import", old, check);
    expect(status).toBe(2);
    expect(error.split("\n")).toHaveLength(1);
    expect(error).toMatch(/needs Node 22[.]19 or newer.*this is 20[.]20[.]2/);
  });

  test("refuses a check that it does not know, and names those that it does", () => {
    const { status, error } = run(check, "--only", "typs");
    expect(status).toBe(2);
    expect(error).toMatch(/cannot read "--only typs".*types-7.*biome.*imports.*knip.*tests/);
  });
});
