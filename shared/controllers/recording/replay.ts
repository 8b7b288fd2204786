import type { Json } from "#api/core-v1/meta.ts";
import { isJsonObject } from "#api/problem.ts";
import type { CloudProvider } from "#core/cloud-provider.ts";
import type { Command } from "#core/command.ts";
import type { Step } from "#core/outcome.ts";
import type { Reason } from "#core/reason.ts";
import type { Recording } from "#core/recording/recording.ts";
import { redacted } from "#core/recording/redaction.ts";
import type { Snapshot } from "#core/snapshot.ts";
import type { Stage } from "#core/stage.ts";
import { sentCommands } from "../act.ts";
import { conditionTellings, tellingsOf } from "../condition-events.ts";
import { eventsOf, type Telling } from "../events.ts";
import { fold } from "../fold.ts";
import { stagesOf } from "../stages.ts";
import { toldReasons } from "../told-reasons.ts";
import { writtenObject } from "../written-object.ts";

export type Replay =
  | { readonly kind: "same"; readonly commands: number; readonly note?: string }
  | Difference
  /** A look: there is nothing to compare with. */
  | { readonly kind: "no-steps" };

/** The first one. `field` of the command, "" for the whole of it; `recorded` and `decided` are what stands there, absent for nothing. */
export interface Difference {
  readonly kind: "different";
  readonly stage: string;
  readonly command: string;
  readonly field: string;
  readonly recorded?: Json;
  readonly decided?: Json;
}

/** Runs the stages on what was seen; each command meets the outcome that was recorded for it. */
export function replay<Query, View>(recording: Recording<View>, provider: CloudProvider<Query, View>): Replay {
  const { steps, cutShort } = recording;
  if (steps === undefined) return { kind: "no-steps" };
  const reasons: Reason[] = [];
  const conditions: Telling[] = [];
  let { snapshot } = recording;
  for (const stage of stagesOf(provider)) {
    if (stage.name === cutShort?.stage) return ending(cutShort, stage, snapshot, steps.length);
    const decided = stage.decide(snapshot);
    const matched = matchedSteps(stage.name, sentCommands(decided.commands), steps);
    if ("kind" in matched) return matched;
    reasons.push(...toldReasons(decided.reasons, decided.commands, matched));
    conditions.push(...conditionTellings(snapshot.cluster, matched));
    snapshot = fold(snapshot, matched);
  }
  return (
    strayStep(steps, snapshot.steps, tellingsOf(reasons, conditions), snapshot.nowMs) ?? {
      kind: "same",
      commands: steps.length,
    }
  );
}

/** A defect is looked for again, in the decision; one of a write is not in a recording. */
function ending<View>(
  { cause, message }: NonNullable<Recording["cutShort"]>,
  stage: Stage<View>,
  snapshot: Snapshot<View>,
  commands: number,
): Replay {
  const same = (note: string): Replay => ({ kind: "same", commands, note });
  if (cause === "time") return same(`the tick ended before ${stage.name}: ${message}`);
  try {
    stage.decide(snapshot);
    return same(`the tick ended in ${stage.name} with a defect that its decision does not show: ${message}`);
  } catch (error) {
    return same(`the decision of ${stage.name} fails: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The recorded outcomes with the commands decided now, or where they part. Commands behind a failed one on the same object were not sent. */
function matchedSteps(
  stage: string,
  commands: readonly Command[],
  steps: readonly Step[],
): readonly Step[] | Difference {
  const recorded = steps.filter((step) => step.stage === stage);
  const failed = new Set<string>();
  const matched: Step[] = [];
  for (const command of commands) {
    const object = writtenObject(command);
    if (failed.has(object)) continue;
    const step = recorded[matched.length];
    const difference = firstDifference(step === undefined ? undefined : redacted(step.command), redacted(command), "");
    if (step === undefined || difference !== undefined) {
      return { kind: "different", stage, command: `${command.kind} ${object}`, field: "", ...difference };
    }
    matched.push({ stage, command, outcome: step.outcome });
    if (step.outcome.kind === "failed") failed.add(object);
  }
  const missing = recorded[matched.length];
  return missing === undefined ? matched : undecided(missing);
}

/** What was recorded of no stage, or of one that is no more; events may have been said before. */
function strayStep(
  steps: readonly Step[],
  matched: readonly Step[],
  tellings: readonly Telling[],
  nowMs: number,
): Difference | undefined {
  const stages = new Set(matched.map(({ stage }) => stage));
  const events = new Set(eventsOf(tellings, nowMs, new Set()).map(({ name }) => name));
  const stray = steps.find(({ stage, command }) =>
    command.kind === "record-event" ? !events.has(command.name) : !stages.has(stage),
  );
  return stray === undefined ? undefined : undecided(stray);
}

function undecided({ stage, command }: Step): Difference {
  return { kind: "different", stage, command: command.kind, field: "", recorded: redacted(command) };
}

interface Parting {
  readonly field: string;
  readonly recorded?: Json;
  readonly decided?: Json;
}

/** In the order of names; undefined: there is none. */
function firstDifference(recorded: Json | undefined, decided: Json | undefined, field: string): Parting | undefined {
  if (recorded === decided) return undefined;
  const parting = {
    field,
    ...(recorded === undefined ? {} : { recorded }),
    ...(decided === undefined ? {} : { decided }),
  };
  if (!isNested(recorded) || !isNested(decided) || Array.isArray(recorded) !== Array.isArray(decided)) return parting;
  const own: Readonly<Record<string, Json>> = Object.fromEntries(Object.entries(recorded));
  const other: Readonly<Record<string, Json>> = Object.fromEntries(Object.entries(decided));
  for (const key of [...new Set([...Object.keys(own), ...Object.keys(other)])].sort(byKind(own, other))) {
    const inner = Array.isArray(recorded) ? `${field}[${key}]` : field === "" ? key : `${field}.${key}`;
    const found = firstDifference(own[key], other[key], inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What kind of thing it is comes first, then the rest by name; positions by number. */
function byKind(own: Readonly<Record<string, Json>>, other: Readonly<Record<string, Json>>) {
  const isList = Object.keys({ ...own, ...other }).every((key) => /^\d+$/.test(key));
  return (a: string, b: string): number => {
    if (isList) return Number(a) - Number(b);
    return a === b ? 0 : a === "kind" || (b !== "kind" && a < b) ? -1 : 1;
  };
}

function isNested(value: Json | undefined): value is readonly Json[] | { readonly [key: string]: Json } {
  return Array.isArray(value) || isJsonObject(value);
}
