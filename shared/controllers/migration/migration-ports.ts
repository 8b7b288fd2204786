import type { JsonObject } from "#api/conversion/json-fields.ts";
import type { Cluster } from "#ports/cluster.ts";
import type { MigrationSources } from "./observe-migration.ts";
import type { MigrationStep, StepState } from "./step.ts";
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
