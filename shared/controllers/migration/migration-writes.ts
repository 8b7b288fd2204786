/** Carries out what a step asks for. */
import type { JsonObject } from "#api/conversion/json-fields.ts";
import type { Fault } from "#core/fault.ts";
import type { MigrationPorts } from "./migration-ports.ts";
import { configMapKind } from "./served-kinds.ts";
import type { MigrationOptions, MigrationStep, MigrationWrite, StepState } from "./step.ts";
import type { MigrationView } from "./view.ts";

export interface WritingTask {
  readonly step: MigrationStep;
  readonly ports: MigrationPorts;
  readonly options: MigrationOptions;
}

export const stopWords = "stopped before its next write; run it again, it goes on where it ended";

/** How far the writes of a step came. */
export type Written =
  /** All were made, or the next look sees what is left. */
  | { readonly kind: "made" }
  /** The server gave no answer: whether the write was made the next look sees. */
  | { readonly kind: "unanswered"; readonly problems: readonly string[] }
  /** It does not mend itself by another look. */
  | { readonly kind: "failed"; readonly problems: readonly string[] };

const made: Written = { kind: "made" };

export async function writeAll(
  task: WritingTask,
  state: Extract<StepState, { kind: "to-do" }>,
  view: MigrationView,
): Promise<Written> {
  for (const write of state.writes) {
    if (task.ports.isStopped()) return { kind: "failed", problems: [stopWords] };
    const done = await oneWrite(task, write, view);
    if (done === "overtaken") return made;
    if (done.kind !== "made") return done;
  }
  return made;
}

/** "overtaken": what is left of the writes rests on one that somebody was quicker with. */
async function oneWrite(
  { step, ports, options }: WritingTask,
  write: MigrationWrite,
  view: MigrationView,
): Promise<Written | "overtaken"> {
  if (write.kind === "show-plan" || write.kind === "rehearse") {
    const problems = await show(step, view, ports, options);
    return problems.length === 0 ? made : { kind: "failed", problems };
  }
  const fault = await written(write, view, ports);
  if (fault === undefined) return made;
  const problems = [`${fault.message} (${fault.code})`];
  if (isUnanswered(fault)) return { kind: "unanswered", problems };
  if (!isOvertaken(fault)) return { kind: "failed", problems };
  return restsOn(write) ? "overtaken" : made;
}

/** Every write carries what it was based on, or may be made twice. */
export function isUnanswered({ kind }: Fault): boolean {
  return kind === "unavailable" || kind === "throttled";
}

/** It changed or went since it was read: the next look sees what is left. */
function isOvertaken({ kind }: Fault): boolean {
  return kind === "conflict" || kind === "not-found";
}

/** What comes after the phase rests on it. */
function restsOn(write: MigrationWrite): boolean {
  return write.kind === "merge-patch" && write.resource.kind === configMapKind.kind;
}

async function show(
  step: MigrationStep,
  view: MigrationView,
  { plan, tell }: MigrationPorts,
  { acceptPlan }: MigrationOptions,
): Promise<readonly string[]> {
  const shown = await plan();
  if ("problem" in shown) return [shown.problem];
  tell({ step, view, state: { kind: "wait", what: "the plan is read" }, lines: shown.lines });
  if (acceptPlan || shown.endings.length === 0) return [];
  return [...shown.endings, "nodes would go; mend the cause, or accept the plan with --accept-plan"];
}

async function written(
  write: Exclude<MigrationWrite, { kind: "show-plan" | "rehearse" }>,
  { objects, crds }: MigrationView,
  { raw, cluster, save }: MigrationPorts,
): Promise<Fault | undefined> {
  switch (write.kind) {
    case "merge-patch":
      return raw.patch(write);
    case "save-export": {
      const problem = save([...crds.map((crd) => crd as unknown as JsonObject), ...objects]);
      return problem === undefined ? undefined : { kind: "invalid", code: "Export", message: problem };
    }
    case "patch-metadata":
    case "patch-state": {
      const outcome = await cluster.apply(write);
      return outcome.kind === "failed" ? outcome.fault : undefined;
    }
  }
}
