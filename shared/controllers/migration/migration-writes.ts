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

/** What went wrong and does not mend itself by another look. */
export async function writeAll(
  task: WritingTask,
  state: Extract<StepState, { kind: "to-do" }>,
  view: MigrationView,
): Promise<readonly string[]> {
  for (const write of state.writes) {
    if (task.ports.isStopped()) return [stopWords];
    const done = await oneWrite(task, write, view);
    if (done === "look-again") return [];
    if (done.length > 0) return done;
  }
  return [];
}

/** What went wrong; "look-again": what is left of the writes rests on one that somebody was quicker with. */
async function oneWrite(
  { step, ports, options }: WritingTask,
  write: MigrationWrite,
  view: MigrationView,
): Promise<readonly string[] | "look-again"> {
  if (write.kind === "show-plan" || write.kind === "rehearse") return show(step, view, ports, options);
  const fault = await written(write, view, ports);
  if (fault === undefined) return [];
  if (!isOvertaken(fault)) return [`${fault.message} (${fault.code})`];
  return restsOn(write) ? "look-again" : [];
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
