import type { KubeObject } from "#api/core-v1/meta.ts";
import { parseTime } from "#api/time.ts";

/** A morning in the year of the instance types' data; one time for every run, so that two runs are the same. */
const usualStartMs = Date.parse("2026-10-27T08:00:00Z");

/** When a run begins: never before its objects were made, since live ones keep their age. */
export function startMsFor(objects: readonly KubeObject[]): number {
  let latestMs = usualStartMs;
  for (const { metadata } of objects) {
    latestMs = Math.max(latestMs, parseTime(metadata.creationTimestamp) ?? 0);
  }
  return Math.ceil(latestMs / 60_000) * 60_000;
}
