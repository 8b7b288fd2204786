import type { MigrationPorts } from "./migration-ports.ts";
import { isUnanswered, stopWords, type WritingTask, writeAll } from "./migration-writes.ts";
import { type MigrationLook, observeMigration } from "./observe-migration.ts";
import type { MigrationOptions, MigrationStep, StepState } from "./step.ts";

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
  const run = { isRehearsed: false, hasSeen: false };
  for (const step of steps) {
    const end = await carryOut({ step, ports, options, isMeant, run });
    if (end.kind !== "done") return end;
  }
  return { kind: "done" };
}

interface Task extends WritingTask {
  readonly isMeant: boolean;
  /** What this run did and another one does again. */
  readonly run: { isRehearsed: boolean; hasSeen: boolean };
}

/** What one look came to: the end, or another look, after a write or a pause. */
type Round =
  | { readonly kind: "end"; readonly end: MigrationEnd }
  | { readonly kind: "wrote"; readonly problems: readonly string[]; readonly isAnswered: boolean }
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
      problems = round.isAnswered
        ? round.problems.map((what) => `written ${rounds} times, and ${what}`)
        : round.problems;
      // Thousands of objects take their time.
      untilMs = clock.nowMs() + waitMsMax;
      if (round.isAnswered) continue;
    } else problems = round.problems;
    await clock.sleepUntil(clock.nowMs() + pauseMs);
  }
  return { kind: "stopped", step: step.name, problems };
}

async function oneRound(task: Task, told: Set<StepState["kind"]>, hasWritten: boolean): Promise<Round> {
  const { step, ports, options, isMeant, run } = task;
  if (ports.isStopped()) return ending({ kind: "stopped", step: step.name, problems: [stopWords] });
  const look = await observeMigration(ports, run.isRehearsed);
  if (look.kind === "unseen") return unseen(look, run.hasSeen);
  run.hasSeen = true;
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
  const written = await writeAll(task, state, look.view);
  if (written.kind === "failed") return ending({ kind: "stopped", step: step.name, problems: written.problems });
  if (written.kind === "unanswered") return { kind: "wrote", problems: written.problems, isAnswered: false };
  run.isRehearsed ||= isReading;
  return { kind: "wrote", problems: [`it does not stay: ${state.what}`], isAnswered: true };
}

/** On its way it waits for a server that restarts; at its start there is nothing to lose. */
function unseen({ what, fault }: Extract<MigrationLook, { kind: "unseen" }>, hasSeen: boolean): Round {
  const message = `cannot read ${what}: ${fault.message} (${fault.code})`;
  if (hasSeen && isUnanswered(fault)) return { kind: "pause", problems: [message] };
  return ending({ kind: "unseen", message });
}

function ending(end: MigrationEnd): Round {
  return { kind: "end", end };
}
