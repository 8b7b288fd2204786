import type { JsonObject } from "#api/conversion/json-fields.ts";
import type { Fault } from "#core/fault.ts";
import type { Cluster } from "#ports/cluster.ts";
import { type MigrationSources, observeMigration } from "./observe-migration.ts";
import { configMapKind } from "./served-kinds.ts";
import type { MigrationOptions, MigrationStep, MigrationWrite, StepState } from "./step.ts";
import type { MigrationView } from "./view.ts";

/** A tick that was decided and not carried out. */
export interface ShownPlan {
  readonly lines: readonly string[];
  /** What of it would end nodes that are there now; a migration is to end none. */
  readonly endings: readonly string[];
}

export interface MigrationPorts extends MigrationSources {
  readonly cluster: Pick<Cluster, "apply">;
  /** What went wrong with the file, if anything did. */
  readonly save: (objects: readonly JsonObject[]) => string | undefined;
  readonly plan: () => Promise<ShownPlan | { readonly problem: string }>;
  readonly tell: (news: StepNews) => void;
  /** Whoever started it wants it to end before its next write. */
  readonly isStopped: () => boolean;
}

export interface StepNews {
  readonly step: MigrationStep;
  readonly state: StepState;
  readonly view: MigrationView;
  /** Of a plan that was asked for. */
  readonly lines?: readonly string[];
}

export type MigrationEnd =
  | { readonly kind: "done" }
  /** A dry run: this is the first step that is not done. */
  | { readonly kind: "to-do"; readonly step: string }
  | { readonly kind: "stopped"; readonly step: string; readonly problems: readonly string[] }
  | { readonly kind: "unseen"; readonly message: string };

/** Whoever is to move has this long: Karpenter's lease runs out in 15 s, its pods end within a minute. */
const waitMsMax = 180_000;
const pauseMs = 1_000;
/** A round per conflict with somebody who writes the same objects. */
const roundsMax = 5;

/**
 * Does what is left of the steps, each of which is judged by a new look before and after. Nothing is remembered between
 * them: whoever runs this again goes on where it ended. Without `isMeant` the first step that would write is told, and
 * nothing is written.
 */
export async function migrate(
  steps: readonly MigrationStep[],
  ports: MigrationPorts,
  options: MigrationOptions,
  isMeant: boolean,
): Promise<MigrationEnd> {
  const rehearsal = { isDone: false };
  for (const step of steps) {
    const end = await carryOut({ step, ports, options, isMeant, rehearsal });
    if (end.kind !== "done") return end;
  }
  return { kind: "done" };
}

interface Task {
  readonly step: MigrationStep;
  readonly ports: MigrationPorts;
  readonly options: MigrationOptions;
  readonly isMeant: boolean;
  /** Of this run; another one rehearses again. */
  readonly rehearsal: { isDone: boolean };
}

/** What one look came to: the end, or another look, after a write or a pause. */
type Round =
  | { readonly kind: "end"; readonly end: MigrationEnd }
  | { readonly kind: "wrote"; readonly what: string }
  | { readonly kind: "pause"; readonly problems: readonly string[] };

async function carryOut(task: Task): Promise<MigrationEnd> {
  const { step, ports } = task;
  const { clock } = ports;
  let untilMs = clock.nowMs() + waitMsMax;
  const told = new Set<StepState["kind"]>();
  let problems: readonly string[] = [];
  // Bounded by the time and by the rounds.
  for (let rounds = 0; rounds <= roundsMax && clock.nowMs() <= untilMs; ) {
    const round = await oneRound(task, told, rounds > 0);
    if (round.kind === "end") return round.end;
    if (round.kind === "wrote") {
      rounds++;
      problems = [`written ${rounds} times, and it does not stay: ${round.what}`];
      // Thousands of objects take their time.
      untilMs = clock.nowMs() + waitMsMax;
    } else {
      problems = round.problems;
      await clock.sleepUntil(clock.nowMs() + pauseMs);
    }
  }
  return { kind: "stopped", step: step.name, problems };
}

async function oneRound(task: Task, told: Set<StepState["kind"]>, hasWritten: boolean): Promise<Round> {
  const { step, ports, options, isMeant, rehearsal } = task;
  if (ports.isStopped()) return ending({ kind: "stopped", step: step.name, problems: [stopWords] });
  const look = await observeMigration(ports, rehearsal.isDone);
  if (look.kind === "unseen") {
    return ending({ kind: "unseen", message: `cannot read ${look.what}: ${look.fault.message} (${look.fault.code})` });
  }
  const state = step.judge(look.view, options);
  if (!told.has(state.kind)) ports.tell({ step, state, view: look.view });
  told.add(state.kind);
  if (state.kind === "done") return ending({ kind: "done" });
  if (state.kind === "refused") {
    // After a write the API server may need a moment to serve what was written.
    if (hasWritten) return { kind: "pause", problems: state.problems };
    return ending({ kind: "stopped", step: step.name, problems: state.problems });
  }
  const isReading = state.kind === "to-do" && state.writes.every(({ kind }) => kind === "rehearse");
  if (!isMeant && !isReading) return ending({ kind: "to-do", step: step.name });
  if (state.kind === "wait") return { kind: "pause", problems: [`not within ${waitMsMax / 1000} s: ${state.what}`] };
  const problems = await writeAll(task, state, look.view);
  if (problems.length > 0) return ending({ kind: "stopped", step: step.name, problems });
  rehearsal.isDone ||= isReading;
  return { kind: "wrote", what: state.what };
}

function ending(end: MigrationEnd): Round {
  return { kind: "end", end };
}

const stopWords = "stopped before its next write; run it again, it goes on where it ended";

/** What went wrong and does not mend itself by another look. */
async function writeAll(
  task: Task,
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
  { step, ports, options }: Task,
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
