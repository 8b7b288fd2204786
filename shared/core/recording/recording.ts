/** Karpenter counterpart: none; a reconcile there cannot be looked at again. */
import type { Json } from "#api/core-v1/meta.ts";
import type { Step } from "../outcome.ts";
import type { Snapshot } from "../snapshot.ts";
import { redacted } from "./redaction.ts";

/** Of the file's form. A reader of another one refuses it. */
export const recordingVersion = 1;

/** One tick to look at again: what was seen, and in order what was done and what came of it. */
export interface Recording<View = unknown> {
  readonly version: typeof recordingVersion;
  /** Of Outrigger that wrote it; another one may decide otherwise. */
  readonly release: string;
  readonly snapshot: Snapshot<View>;
  /** Absent: a look, of which nothing was made. */
  readonly steps?: readonly Step[];
  readonly cutShort?: CutShort;
}

/** The tick did not run to its end, and why: its time was over before this stage, or a defect ended it there. */
export interface CutShort {
  readonly stage: string;
  readonly cause: "time" | "defect";
  readonly message: string;
}

export interface Recorded {
  readonly snapshot: Snapshot;
  readonly steps?: readonly Step[];
  readonly cutShort?: CutShort;
}

/** The file's content, without secrets; to be written as JSON. */
export function recordingOf(
  { snapshot, steps, cutShort }: Recorded,
  release: string,
): { readonly [key: string]: Json } {
  return {
    version: recordingVersion,
    release,
    snapshot: redacted(snapshot),
    ...(steps === undefined
      ? {}
      : { steps: redacted(steps.map(({ stage, command, outcome }) => ({ stage, command, outcome }))) }),
    ...(cutShort === undefined ? {} : { cutShort: { ...cutShort } }),
  };
}
