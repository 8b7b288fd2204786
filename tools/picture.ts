// The picture of the demo in README.md: what `npm start` prints, folded to a page's width. `npm run picture` draws it anew.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const readme = join(root, "README.md");
const columns = 118;
/** Time and kind, beneath which the rest of a long line hangs. */
const indent = 8 + 2 + 12 + 2;
const fence = /(?<=<!-- picture: npm run picture -->\n```\n).*?(?=```\n<!-- end of the picture -->)/s;

/** The demo's output as a page can show it: long lines folded at spaces, the wide table cut. */
export function pictureOf(output: string): string {
  const [, ...lines] = output.trimEnd().split("\n");
  return `${lines
    .flatMap((line) => (/^\d\d:\d\d:\d\d /.test(line) ? folded(line) : [cut(line)]))
    .join("\n")
    .trim()}\n`;
}

/** The picture that README.md shows now; undefined when it has none. */
export function shownPicture(): string | undefined {
  return fence.exec(readFileSync(readme, "utf8"))?.[0];
}

function folded(line: string): readonly string[] {
  if (line.length <= columns) return [line];
  const space = line.lastIndexOf(" ", columns);
  if (space <= indent) return [line];
  return [line.slice(0, space), ...folded(" ".repeat(indent) + line.slice(space + 1))];
}

function cut(line: string): string {
  return line.length <= columns ? line.trimEnd() : `${line.slice(0, columns - 1).trimEnd()}…`;
}

if (process.argv[1] === import.meta.filename) {
  const { stdout, status } = spawnSync(process.execPath, [join(root, "cli/outrigger.mjs"), "simulate"], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`the demo ended with ${status}`);
  const text = readFileSync(readme, "utf8");
  if (!fence.test(text)) throw new Error("README.md has no place for the picture");
  writeFileSync(
    readme,
    text.replace(fence, () => pictureOf(stdout)),
  );
}
