import type { PatchMetadata, PatchState } from "#core/command.ts";
import type { Crd } from "#core/crd/crd-policy.ts";
import type { MergePatch } from "#ports/raw-objects.ts";
import type { MigrationView } from "./view.ts";

/** What a migration may do besides commands of the loop. */
export type MigrationWrite =
  | MergePatch
  | PatchMetadata
  | PatchState
  /** Every object goes to a file. */
  | { readonly kind: "save-export" }
  /** The same as `show-plan`, which it is to come to; writes nothing, and is done in a dry run too. */
  | { readonly kind: "rehearse" }
  /** A tick of the loop decides on what the cluster is now, and is shown. */
  | { readonly kind: "show-plan" };

export type StepState =
  | { readonly kind: "done" }
  /** Judged again after the writes, and done then, or something is wrong. */
  | { readonly kind: "to-do"; readonly writes: readonly MigrationWrite[]; readonly what: string }
  /** Somebody else's move, within a minute or two. */
  | { readonly kind: "wait"; readonly what: string }
  /** A person must do something first; nothing is written. */
  | { readonly kind: "refused"; readonly problems: readonly string[] };

export interface MigrationOptions {
  /** Outrigger's own CRDs. */
  readonly crds: readonly Crd[];
  /** They may take the place of installed ones that are too old. */
  readonly adoptCrds: boolean;
  /** Where the conversion function answers; absent: Karpenter's own webhook must. */
  readonly conversionUrl?: string;
  /** For the tests' API server, base64; absent: the authorities that it trusts. */
  readonly conversionCaBundle?: string;
  /** The plan may disrupt nodes. */
  readonly acceptPlan: boolean;
}

export interface MigrationStep {
  readonly name: string;
  readonly does: string;
  /** How a person takes it back, on the cluster that is seen. */
  readonly undo: string | ((view: MigrationView) => string);
  readonly judge: (view: MigrationView, options: MigrationOptions) => StepState;
}

export function undoOf({ undo }: MigrationStep, view: MigrationView): string {
  return typeof undo === "string" ? undo : undo(view);
}

/** The same step, unless something stands in its way. */
export function unless(obstacle: (view: MigrationView) => string | undefined, step: MigrationStep): MigrationStep {
  const judge: MigrationStep["judge"] = (view, options) => {
    const problem = obstacle(view);
    return problem === undefined ? step.judge(view, options) : refused(problem);
  };
  return { ...step, judge };
}

export const done: StepState = { kind: "done" };

export function refused(...problems: readonly string[]): StepState {
  return { kind: "refused", problems };
}

export function toDo(what: string, ...writes: readonly MigrationWrite[]): StepState {
  return { kind: "to-do", writes, what };
}
