import { readFileSync } from "node:fs";
import { join } from "node:path";

/** At most so many of the recorded problems may be excluded. */
export const mostExcluded = 0.03;

export interface Exclusion {
  readonly problem: string;
  readonly rule: string;
  readonly reason: string;
}

/** Rows of the table in `excluded.md`: `| seed-12 | cost | reason |`. */
export function readExclusions(): readonly Exclusion[] {
  const page = readFileSync(join(import.meta.dirname, "../excluded.md"), "utf8");
  return [...page.matchAll(/^\| (seed-\d+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
    ([, problem = "", rule = "", reason = ""]) => ({
      problem,
      rule: rule.trim(),
      reason: reason.trim(),
    }),
  );
}
