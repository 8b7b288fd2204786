import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createColors } from "picocolors";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { main } from "./outrigger.ts";
import type { Terminal } from "./terminal.ts";

const program = join(import.meta.dirname, "outrigger.mjs");
let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-cli-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function run(...words: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  let out = "";
  let error = "";
  const terminal: Terminal = {
    out: (text) => {
      out += text;
    },
    error: (text) => {
      error += text;
    },
    live: false,
    columns: () => 80,
    colors: createColors(false),
    pause: async () => {},
  };
  const code = await main(words, terminal);
  return { code, out, error };
}

describe("outrigger", () => {
  test.each([
    [["simulate", "--nonsense"], "unknown option '--nonsense'"],
    [["simulat"], "unknown command 'simulat'"],
    [["simulate", "my.yaml"], "too many arguments"],
    [["simulate", "--minutes", "0"], "whole number from 1 to 10080"],
    [["simulate", "--minutes", "1.5"], "whole number from 1 to 10080"],
    [["simulate", "--seed", "-1"], "whole number from 0"],
    [["simulate", "-f"], "argument missing"],
    [["simulate", "--json", "/no/such/directory/x.json"], "its directory is not there"],
    [["simulate", "-f", "/no/such/file.yaml"], "/no/such/file.yaml: no such file or directory"],
    [[], "Usage: outrigger"],
  ])("%j ends with 2 and says why", async (words, text) => {
    const { code, out, error } = await run(...words);
    expect(error).toContain(text);
    expect(code).toBe(2);
    expect(out).toBe("");
  });

  test.each([["--help"], ["simulate", "--help"]])("%s is help and no error", async (...words) => {
    const { code, out } = await run(...words);
    expect(code).toBe(0);
    expect(out).toContain("Usage: outrigger");
  });

  test("bad manifests are told whole, and nothing runs", async () => {
    const file = join(directory, "bad.yaml");
    writeFileSync(file, "apiVersion: v1\nkind: Pod\nmetadata: {name: A_B}\nspec: {containers: []}\n");
    const { code, out, error } = await run("simulate", "-f", file);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(error).toContain(`${file}:3: Pod/A_B: metadata.name: `);
    expect(error).toContain(`${file}:4: Pod/A_B: spec.containers: `);
  });
});

describe("the started program", () => {
  test("asks for a newer Node in one line when it meets an old one", () => {
    const old = `data:text/javascript,${encodeURIComponent('Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });')}`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", old, program, "simulate"], {
      encoding: "utf8",
    });
    expect(status).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(/needs Node 22[.]19 or newer; this is 20[.]20[.]2[.].*Linux x64/);
  });

  test("is plain JavaScript that an old Node can read", () => {
    const text = readFileSync(program, "utf8");
    expect(text).not.toMatch(/import .* from|[?]{2}=|#[a-z]+/);
  });
});
