/** Recorded clusters with Karpenter's commands, compressed; instance types stand once for all clusters of a file. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { DisruptionMode } from "../../../cli/solve/disrupt.ts";
import type { RawInstanceType, RawProblem } from "../generator/raw-problem.ts";
import type { RecordedCommand } from "./compare-cluster.ts";

export const clustersFolder = join(import.meta.dirname, "../recorded-clusters");

export interface RecordedCluster {
  readonly name: string;
  readonly features: readonly string[];
  readonly problem: RawProblem;
  /** Of several runs, each different command once; null: nothing is done. */
  readonly answers: Readonly<Record<DisruptionMode, readonly (RecordedCommand | null)[]>>;
}

interface StoredCluster extends Omit<RecordedCluster, "problem"> {
  readonly problem: Omit<RawProblem, "instanceTypes">;
  readonly types: readonly number[];
}

interface ClusterFile {
  readonly types: readonly RawInstanceType[];
  readonly clusters: readonly StoredCluster[];
}

export function writeClusters(file: string, clusters: readonly RecordedCluster[]): void {
  const types: RawInstanceType[] = [];
  const places = new Map<string, number>();
  const stored = clusters.map(({ problem: { instanceTypes, ...problem }, ...rest }): StoredCluster => {
    const numbers = instanceTypes.map((type) => {
      const text = JSON.stringify(type);
      const known = places.get(text) ?? types.push(type) - 1;
      places.set(text, known);
      return known;
    });
    return { ...rest, problem, types: numbers };
  });
  const content: ClusterFile = { types, clusters: stored };
  writeFileSync(file, gzipSync(JSON.stringify(content), { level: 9 }));
}

export function readClusters(): readonly RecordedCluster[] {
  return readdirSync(clustersFolder)
    .filter((name) => name.endsWith(".json.gz"))
    .sort()
    .flatMap((name) => {
      // Our own file, written by writeClusters.
      const content = JSON.parse(gunzipSync(readFileSync(join(clustersFolder, name))).toString()) as ClusterFile;
      return content.clusters.map(({ types, problem, ...rest }) => ({
        ...rest,
        problem: { ...problem, instanceTypes: types.flatMap((place) => content.types[place] ?? []) },
      }));
    });
}
