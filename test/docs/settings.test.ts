import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { defaultSettings } from "#core/settings.ts";
import { defaultEc2Settings } from "#ec2/settings.ts";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/compatibility.md"), "utf8");

/** `a.b` for a field of a field. */
function namesOf(settings: object, prefix = ""): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? namesOf(value, `${prefix}${name}.`)
      : [prefix + name],
  );
}

/** Name and last cell of each row of the table of settings. */
const rows = new Map(
  (/## Settings\n(.*?)\n## /s.exec(page)?.[1] ?? "").split("\n").flatMap((line) => {
    const [, name] = /^\| `([\w.]+)` \|/.exec(line) ?? [];
    return name === undefined ? [] : [[name, line.split("|").at(-2)?.trim() ?? ""] as const];
  }),
);

const sources = readdirSync(join(root, "shared"), { recursive: true, encoding: "utf8" })
  .filter((file) => /^(core|ec2|controllers)\/.*[.]ts$/.test(file) && !/[.]test[.]ts$|settings[.]ts$/.test(file))
  .map((file) => readFileSync(join(root, "shared", file), "utf8"));

describe("the page's table of settings", () => {
  test("has a row for every setting, and for no other", () => {
    const { provider: _, ...ofTheCore } = defaultSettings;
    expect([...rows.keys()].sort()).toEqual([...namesOf(ofTheCore), ...namesOf(defaultEc2Settings)].sort());
  });

  test.each([...rows])("%s: it is true that it is %s", (name, today) => {
    const field = new RegExp(`\\b${name.split(".").at(-1)}\\b`);
    const isRead = sources.some((text) => field.test(text));
    expect(today.startsWith(isRead ? "read" : "nobody reads it")).toBe(true);
  });
});
