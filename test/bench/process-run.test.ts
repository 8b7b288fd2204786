import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { peerRuns } from "./peer-bench.ts";
import { holdOf } from "./process-run.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-bench-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("a quarter of a CPU", () => {
  test("is a quota where control groups have one", () => {
    // What the kernel puts into a new group.
    const group = join(directory, `outrigger-bench-${process.pid}`);
    const made = holdOf(directory, (path) => {
      mkdirSync(path);
      writeFileSync(join(path, "cpu.max"), "max 100000");
    });
    expect(made).toMatchObject({ kind: "quota", group });
    expect(readFileSync(join(group, "cpu.max"), "utf8")).toMatch(/^10000 40000/);
  });

  test("is kept by signals where there is none, and says so", () => {
    const hold = holdOf(directory);
    expect(hold.kind).toBe("signals");
    expect(hold.words).toContain("no cgroup v2 quota can be set here: ENOENT");
  });
});

describe("Karpenter's runs", () => {
  /** Counts its own runs. */
  function binary(name: string): string {
    const path = join(directory, name);
    const counter = join(directory, "count");
    writeFileSync(counter, "");
    writeFileSync(path, `#!/bin/sh\necho x >> ${counter}\necho '{"runs":[],"peakRSSMB":1}'\n`, { mode: 0o755 });
    return path;
  }
  const count = (): number => readFileSync(join(directory, "count"), "utf8").split("x").length - 1;
  const ask = (path: string, runs: number, fresh = false) => {
    return { binary: path, runs, fresh, timeoutMs: 10_000, cache: join(directory, "cache") };
  };

  test("are kept for the same binary and problem, and run anew when that is asked for", async () => {
    const path = binary("peer");
    expect(await peerRuns({ pods: [] }, ask(path, 2))).toMatchObject({ kept: 0, answers: [{}, {}] });
    expect(await peerRuns({ pods: [] }, ask(path, 3))).toMatchObject({ kept: 2, answers: [{}, {}, {}] });
    expect(count()).toBe(3);
    expect((await peerRuns({ pods: [1] }, ask(path, 1))).kept).toBe(0);
    expect((await peerRuns({ pods: [] }, ask(path, 1, true))).kept).toBe(0);
    expect(count()).toBe(5);
  });

  test("of another binary are not those of the first", async () => {
    await peerRuns({ pods: [] }, ask(binary("peer"), 1));
    const other = binary("other");
    writeFileSync(other, `${readFileSync(other, "utf8")}\n# another\n`);
    expect((await peerRuns({ pods: [] }, ask(other, 1))).kept).toBe(0);
  });
});
