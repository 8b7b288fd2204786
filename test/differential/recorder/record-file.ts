/** Recorded problems with Karpenter's answers, in compressed batches. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { RawInstanceType, RawProblem } from "../generator/raw-problem.ts";

export const recordedFolder = join(import.meta.dirname, "../recorded");

export interface RecordedClaim {
  readonly nodePool: string;
  readonly requirements: readonly RequirementSpec[];
  readonly instanceTypes: readonly string[];
  readonly pods: readonly string[];
}

/** One run's answer, without what follows from it. */
export interface RecordedAnswer {
  readonly nodeClaims: readonly RecordedClaim[];
  readonly existingNodes: readonly { readonly name: string; readonly pods: readonly string[] }[];
  /** Cut to a bound. */
  readonly podErrors: Readonly<Record<string, string>>;
}

export interface RecordedProblem {
  readonly name: string;
  readonly features: readonly string[];
  readonly problem: RawProblem;
  /** Of five runs, each different answer once. */
  readonly answers: readonly RecordedAnswer[];
}

/** In a file, types stand once for all problems, and names of types in answers are their places in the problem's list. */
interface Batch {
  readonly types: readonly RawInstanceType[];
  readonly problems: readonly StoredProblem[];
}

interface StoredProblem extends Omit<RecordedProblem, "problem" | "answers"> {
  readonly problem: Omit<RawProblem, "instanceTypes">;
  readonly types: readonly number[];
  readonly answers: readonly StoredAnswer[];
}

interface StoredAnswer extends Omit<RecordedAnswer, "nodeClaims"> {
  readonly nodeClaims: readonly (Omit<RecordedClaim, "instanceTypes"> & { readonly types: readonly number[] })[];
}

export function writeBatch(file: string, problems: readonly RecordedProblem[]): void {
  const types: RawInstanceType[] = [];
  const places = new Map<string, number>();
  const placeOf = (type: RawInstanceType): number => {
    const text = JSON.stringify(type);
    const known = places.get(text) ?? types.push(type) - 1;
    places.set(text, known);
    return known;
  };
  const stored = problems.map(({ problem: { instanceTypes, ...problem }, answers, ...rest }): StoredProblem => {
    const index = new Map(instanceTypes.map(({ name }, i) => [name, i]));
    return {
      ...rest,
      problem,
      types: instanceTypes.map(placeOf),
      answers: answers.map(({ nodeClaims, ...answer }) => ({
        ...answer,
        nodeClaims: nodeClaims.map(({ instanceTypes: names, ...claim }) => ({
          ...claim,
          types: names.map((name) => index.get(name) ?? -1),
        })),
      })),
    };
  });
  const batch: Batch = { types, problems: stored };
  writeFileSync(file, gzipSync(JSON.stringify(batch), { level: 9 }));
}

export function readBatch(file: string): readonly RecordedProblem[] {
  // Our own file, written by writeBatch.
  const batch = JSON.parse(gunzipSync(readFileSync(file)).toString()) as Batch;
  return batch.problems.map(({ types, answers, problem, ...rest }) => {
    const instanceTypes = types.flatMap((place) => batch.types[place] ?? []);
    return {
      ...rest,
      problem: { ...problem, instanceTypes },
      answers: answers.map(({ nodeClaims, ...answer }) => ({
        ...answer,
        nodeClaims: nodeClaims.map(({ types: places, ...claim }) => ({
          ...claim,
          instanceTypes: places.flatMap((place) => instanceTypes[place]?.name ?? []),
        })),
      })),
    };
  });
}

export function readRecorded(folder: string = recordedFolder): readonly RecordedProblem[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json.gz"))
    .sort()
    .flatMap((name) => readBatch(join(folder, name)));
}
