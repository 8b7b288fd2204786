import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { generatedMix } from "./generated-mix.ts";
import { realShapes, realWorkload } from "./real-workloads.ts";

export interface Workload {
  readonly name: string;
  readonly problem: () => object;
  /** Karpenter on it takes longer than anybody waits. */
  readonly tooLargeForPeer?: boolean;
}

/** Of the same mix: the growth of the time is fitted over them. */
export const growthSizes = [5_000, 10_000, 20_000, 50_000, 100_000] as const;

export const workloads: readonly Workload[] = [
  ...[1_000, ...growthSizes].map(
    (pods): Workload => ({
      name: `mix-${pods}`,
      problem: () => generatedMix(pods, 400, 42),
      ...(pods > 20_000 ? { tooLargeForPeer: true } : {}),
    }),
  ),
  { name: "preferences-4000", problem: () => stored("preferences-4000.json.gz") },
  ...Object.entries(realShapes).map(([name, shape]): Workload => ({ name, problem: () => realWorkload(shape) })),
];

function stored(name: string): object {
  // Our own file.
  return JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, name))).toString()) as object;
}
