import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { problemText } from "./problem.ts";
import { readSources } from "./source.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-source-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const at = (name: string): string => join(directory, name);
const write = (name: string, content: string | Buffer): void => {
  mkdirSync(join(at(name), ".."), { recursive: true });
  writeFileSync(at(name), content);
};
const stdin = (text: string) => ({ readStdin: () => Buffer.from(text) });
const problems = (...paths: string[]): readonly string[] =>
  readSources(paths, stdin("")).problems.map((problem) => problemText(problem).replace(`${directory}/`, ""));

describe("readSources", () => {
  test("finds the manifests of a directory and of those below, sorted, and nothing else", () => {
    for (const name of ["b.yaml", "a/z.yml", "a/y.json", "c.txt", ".hidden/x.yaml", "node_modules/p/x.yaml"])
      write(name, "a: 1");
    expect(readSources([directory]).sources.map(({ file, named }) => [file, named])).toEqual([
      [at("a/y.json"), false],
      [at("a/z.yml"), false],
      [at("b.yaml"), false],
    ]);
  });

  test("reads a file once however often it is reached, and any file that is named", () => {
    write("b.yaml", "a: 1");
    write("other.txt", "b: 2");
    symlinkSync(at("b.yaml"), at("link.yaml"));
    const { sources } = readSources([at("b.yaml"), directory, at("other.txt"), at("b.yaml")]);
    expect(sources.map(({ file }) => file)).toEqual([at("b.yaml"), at("other.txt")]);
  });

  test("reads stdin, once", () => {
    expect(readSources(["-", "-"], stdin("a: 1")).sources).toEqual([{ file: "stdin", text: "a: 1", named: true }]);
  });

  test("takes the byte order mark off", () => {
    write("bom.yaml", "\uFEFFa: 1");
    expect(readSources([at("bom.yaml")]).sources[0]?.text).toBe("a: 1");
  });

  test("tells every problem with its way out, and reads the rest", () => {
    write("good.yaml", "a: 1");
    write("zero.yaml", Buffer.from([97, 0, 98]));
    write("latin.yaml", Buffer.from([0xe4, 0xf6]));
    write("utf16.yaml", Buffer.from("a: 1", "utf16le"));
    mkdirSync(at("empty"));
    expect(
      problems(
        at("good.yaml"),
        at("none.yaml"),
        at("zero.yaml"),
        at("latin.yaml"),
        at("utf16.yaml"),
        at("empty"),
        "https://x/y",
      ),
    ).toEqual([
      "none.yaml: no such file or directory",
      "zero.yaml: is not UTF-8 text (save it as UTF-8, or leave it out)",
      "latin.yaml: is not UTF-8 text (save it as UTF-8, or leave it out)",
      "utf16.yaml: is not UTF-8 text (save it as UTF-8, or leave it out)",
      "empty: no manifests in this directory (files named *.yaml, *.yml, *.json)",
      "https://x/y: is a URL (download it first, or pipe it: curl -sL URL | … -f -)",
    ]);
    expect(readSources([at("good.yaml"), at("none.yaml")]).sources).toHaveLength(1);
  });
});

describe("what was not meant", () => {
  test("an empty path, and a file without end, are told at once", () => {
    expect(problems("")).toEqual(['-f "": names no file (give a file, a directory, or - for stdin)']);
    expect(problems("/dev/zero")).toEqual(["/dev/zero: is not UTF-8 text (save it as UTF-8, or leave it out)"]);
  });

  test("a pipe is read, by the name that a shell gives it", () => {
    const script = `import { readSources } from ${JSON.stringify(join(import.meta.dirname, "source.ts"))};
      console.log(JSON.stringify(readSources(process.argv.slice(1))));`;
    const { stdout } = spawnSync(
      "bash",
      ["-c", '"$0" --input-type=module -e "$1" <(echo "a: 1") <(echo "b: 2")', process.execPath, script],
      { encoding: "utf8" },
    );
    const { sources } = JSON.parse(stdout) as { sources: readonly { text: string }[] };
    expect(sources.map(({ text }) => text)).toEqual(["a: 1\n", "b: 2\n"]);
  });

  test("a directory that cannot have been meant is not read", () => {
    mkdirSync(at("much"));
    for (let i = 0; i < 10_001; i++) writeFileSync(at(`much/${i}.yaml`), "");
    expect(problems(at("much"))).toEqual([
      "much: holds more than 10000 manifests (name a directory below it, or files)",
    ]);
    const startedMs = performance.now();
    expect(readSources(["/"]).sources).toEqual([]);
    expect(performance.now() - startedMs).toBeLessThan(30_000);
  });

  test("files of overlays and charts are told with what renders them", () => {
    write("o/kustomization.yaml", "resources: [x.yaml]");
    write("o/x.yaml", "kind: Pod");
    write("c/values.yaml", "replicas: 1");
    write("d/values.yaml", "kind: ConfigMap");
    expect(problems(at("o"), at("c"), at("d"))).toEqual([
      "o/kustomization.yaml: belongs to an overlay (render it first: kustomize build DIRECTORY | outrigger simulate -f -)",
      "c/values.yaml: belongs to a Helm chart (render it first: helm template CHART | outrigger simulate -f -)",
    ]);
  });

  test("a loop of links ends", () => {
    mkdirSync(at("a"));
    symlinkSync(directory, at("a/up"));
    write("a/x.yaml", "a: 1");
    expect(readSources([directory]).sources).toHaveLength(1);
    symlinkSync(at("self"), at("self"));
    expect(problems(at("self"))).toEqual(["self: is a loop of links"]);
  });

  test("what may not be read is told", () => {
    const readStdin = (): Buffer => {
      throw Object.assign(new Error("EACCES"), { code: "EACCES" });
    };
    expect(readSources(["-"], { readStdin }).problems).toEqual([
      { file: "stdin", message: "may not be read (permission denied)" },
    ]);
  });
});
