/** What a migration prints: a line a step, with how to take it back. */

import type { MigrationEnd } from "#controllers/migration/migrate.ts";
import type { StepNews } from "#controllers/migration/migration-ports.ts";
import { preflightNotes } from "#controllers/migration/preflight-notes.ts";
import { type MigrationStep, type StepState, undoOf } from "#controllers/migration/step.ts";

const words: Readonly<Record<StepState["kind"], string>> = {
  done: "done",
  "to-do": "to do",
  wait: "wait",
  refused: "stop",
};
const nameWidth = 16;
const wordWidth = 6;

export function newsLines({ step, state, view, lines }: StepNews, isMeant: boolean): readonly string[] {
  if (lines !== undefined) return lines.map((line) => `    ${line}`);
  // A dry run reads too.
  const isReading = state.kind === "to-do" && state.writes.every(({ kind }) => kind === "rehearse");
  const word = state.kind === "to-do" && (isMeant || isReading) ? "doing" : words[state.kind];
  const what = state.kind === "to-do" || state.kind === "wait" ? state.what : step.does;
  const notes = step.name === "preflight" && state.kind !== "wait" ? preflightNotes(view) : [];
  return [
    row(word, step.name, what),
    ...notes.map((note) => row("", "", note)),
    ...(state.kind === "to-do" && !isReading ? [row("", "", `to take it back: ${undoOf(step, view)}`)] : []),
  ];
}

/** What is left to say at the end. */
export function endLines(
  end: MigrationEnd,
  steps: readonly MigrationStep[],
  isBack: boolean,
  standing?: string,
): readonly string[] {
  const now = standing === undefined ? [] : ["", standing];
  switch (end.kind) {
    case "done":
      return isBack ? doneBack : doneForth;
    case "to-do": {
      const later = steps.slice(steps.findIndex(({ name }) => name === end.step) + 1);
      return [...later.map(({ name, does }) => row("then", name, does)), "", "Nothing was written; --yes does it."];
    }
    case "stopped":
      return [row("stop", end.step, ""), ...end.problems.map((problem) => `  ${problem}`), ...now];
    case "unseen":
      return [end.message, ...now];
  }
}

const doneForth = [
  "",
  "Outrigger runs this cluster. Karpenter's Deployment is kept at none, for `outrigger migrate --back`; uninstall its chart",
  "(not its CRDs) when that is not wanted any more. A deployment with conversionWebhook: true does not need it any more.",
];
const doneBack = [
  "",
  "Karpenter runs this cluster, and Outrigger is held. Its stack may go: `npx cdk destroy` leaves nodes and claims.",
];

function row(word: string, name: string, text: string): string {
  return `${word.padEnd(wordWidth)} ${name.padEnd(nameWidth)} ${text}`.trimEnd();
}
