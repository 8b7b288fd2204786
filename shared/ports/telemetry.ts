import type { Decision } from "#core/decision.ts";
import type { Step } from "#core/outcome.ts";
import type { CutShort } from "#core/recording/recording.ts";
import type { Snapshot } from "#core/snapshot.ts";

/** What one tick saw, decided and did; the material of logs, metrics, recordings and the simulator's timeline. */
export interface TickReport<View = unknown> {
  readonly snapshot: Snapshot<View>;
  readonly decisions: readonly { readonly stage: string; readonly decision: Decision }[];
  readonly steps: readonly Step[];
  /** Something was changed in the cluster or the cloud, events apart. */
  readonly changed: boolean;
  readonly againAtMs?: number;
  /** Ms that the looks and each stage with its writes took, in order. */
  readonly phases: readonly { readonly name: string; readonly durationMs: number }[];
  readonly cutShort?: CutShort;
}

export interface Telemetry {
  readonly tick: (report: TickReport) => void;
}
