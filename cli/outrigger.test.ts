import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordedTerminal } from "../test/support/recorded-terminal.ts";
import { main } from "./outrigger.ts";

const program = join(import.meta.dirname, "outrigger.mjs");
let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-cli-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function run(...words: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const { terminal, said } = recordedTerminal();
  const code = await main(words, terminal);
  return { code, ...said };
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
    [["simulate", "--json", "/no/such/directory/x.json"], "cannot be written (no such directory)"],
    [["simulate", "--json", ""], "names no file"],
    [["simulate", "--json", "-", "--metrics", "-"], "both want stdout"],
    [["simulate", "--json", "/proc/x"], "/proc/x: cannot be written"],
    [["simulate", "-f", ""], "names no file"],
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
  const start = (command: string) =>
    spawnSync("bash", ["-c", command, process.execPath, program], { encoding: "utf8", cwd: directory });
  const pods = (count: number): string =>
    Array.from(
      { length: count },
      (_, i) =>
        `apiVersion: v1\nkind: Pod\nmetadata: {name: p${i}}\nspec: {nodeSelector: {none: "${i}"}, containers: [{name: c, image: i}]}\n---\n`,
    ).join("");

  test("says that its output cannot be written, and ends with 2", () => {
    const full = start('"$0" "$1" simulate --minutes 1 > /dev/full');
    expect([full.status, full.stderr]).toEqual([2, "the output cannot be written: no space left on the device\n"]);
    const file = start('"$0" "$1" simulate --minutes 1 --json /dev/full > /dev/null');
    expect([file.status, file.stderr]).toEqual([
      2,
      "--json /dev/full: cannot be written (no space left on the device)\n",
    ]);
  });

  test("writes its result, and keeps its exit code, when nobody reads its output any more", () => {
    writeFileSync(join(directory, "none.yaml"), pods(3));
    const { stdout, stderr } = start(
      '"$0" "$1" simulate -f none.yaml --minutes 3 --json out.json > >(exec head -c 1 > /dev/null); echo "code $?"',
    );
    expect(stderr).toBe("");
    expect(stdout).toContain("code 1");
    expect(JSON.parse(readFileSync(join(directory, "out.json"), "utf8"))).toHaveProperty("unplaced.length", 3);
  });

  test("knows its version", () => {
    for (const command of ["", "simulate"]) {
      expect(start(`"$0" "$1" ${command} --version`).stdout).toMatch(/^[0-9]+[.][0-9]+[.][0-9]+\n$/);
    }
  });

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
