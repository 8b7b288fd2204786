import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { simulated } from "../simulation/command-line.ts";

const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");

/** Kind and first word of what is told: figures and names are of one run, these are of every one. Counts of pods vary. */
const shape = (kind: string, text: string): string =>
  kind === "pods" ? kind : `${kind} ${/[A-Za-z]+/.exec(text)?.[0] ?? ""}`;

test("the README's picture shows lines of the demo in the demo's order", async () => {
  const pictured = [...readme.matchAll(/^\d\d:\d\d:\d\d {2}(\S+) +(.*)$/gm)].map(([, kind = "", text = ""]) =>
    shape(kind, text),
  );
  expect(pictured.length).toBeGreaterThan(10);
  const { result } = await simulated(undefined);
  const played = result.timeline.map(({ kind, object, message }) => shape(kind, object ?? message));
  let from = 0;
  for (const line of pictured) {
    const at = played.indexOf(line, from);
    expect(at, `"${line}" after ${played.slice(0, from).join(", ")}`).toBeGreaterThanOrEqual(0);
    from = at + 1;
  }
});
