import type { Command } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { ObjectRef } from "#core/object-ref.ts";
import type { Step } from "#core/outcome.ts";
import type { Reason } from "#core/reason.ts";
import { nameOf, writtenObject } from "./written-object.ts";

/** Faults that say nothing to a person: the next look clears them up. */
const quiet: ReadonlySet<Fault["kind"]> = new Set(["conflict", "not-found", "already-exists", "eviction-refused"]);

/**
 * Of a stage's reasons those that came true: a reason about an object, or one that rests on it (`onceWritten`), is not
 * told when a command on that object failed. In its place comes what failed, once an object; a pod whose claim could
 * not be created is unschedulable for that cause.
 */
export function toldReasons(
  reasons: readonly Reason[],
  commands: readonly Command[],
  steps: readonly Step[],
): readonly Reason[] {
  const failed = failedObjects(commands, steps);
  if (failed.size === 0) return reasons;
  const told: Reason[] = [];
  for (const reason of reasons) {
    const on = [reason.about, ...(reason.onceWritten === undefined ? [] : [reason.onceWritten])];
    const broken = on.map((ref) => ({ ref, fault: failed.get(nameOf(ref)) })).find(({ fault }) => fault !== undefined);
    if (broken?.fault === undefined) told.push(reason);
    else if (reason.about.kind === "Pod" && reason.onceWritten !== undefined) {
      told.push(unschedulable(reason.about, broken.ref, broken.fault));
    }
  }
  return [...told, ...failures(steps)];
}

/** By `nameOf`: what was to be written and was not, with the fault. */
function failedObjects(commands: readonly Command[], steps: readonly Step[]): ReadonlyMap<string, Fault> {
  const failed = new Map<string, Fault>();
  for (const { command, outcome } of steps) {
    if (outcome.kind === "failed") failed.set(writtenObject(command), outcome.fault);
  }
  return commands.some((command) => failed.has(writtenObject(command))) ? failed : new Map();
}

function unschedulable(about: ObjectRef, claim: ObjectRef, fault: Fault): Reason {
  return {
    about,
    code: "pod-unschedulable",
    message: `${claim.kind} ${claim.name} could not be created: ${fault.code} ${fault.message}`,
    event: { type: "Warning", reason: "FailedScheduling" },
  };
}

function failures(steps: readonly Step[]): readonly Reason[] {
  return steps.flatMap(({ command, outcome }) => {
    if (outcome.kind === "done" || quiet.has(outcome.fault.kind)) return [];
    const about = subjectOf(command);
    if (about === undefined) return [];
    const { code, message } = outcome.fault;
    return [{ about, code: "write-failed", message: `${command.kind}: ${code} ${message}` }];
  });
}

/** Launches have a stage of their own that says what became of them. */
function subjectOf(command: Command): ObjectRef | undefined {
  if (command.kind === "create-node-claim") return { kind: "NodeClaim", name: command.nodeClaim.metadata.name };
  return "target" in command ? command.target : undefined;
}
