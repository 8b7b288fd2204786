import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { TimelineEntry } from "./timeline-entry.ts";

/** A pod that has no node at the end, and why as far as anybody said. */
export interface Unplaced {
  readonly pod: string;
  readonly reason: string;
}

/** What `--json` writes. Costs are US dollars; spot prices of the simulated account are synthesised. */
export interface SimulationResult {
  readonly claims: readonly NodeClaim[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly timeline: readonly TimelineEntry[];
  /** How many NodeClaims Outrigger ended, by cause (empty, drifted, underutilized, expired, …). */
  readonly ended: Readonly<Record<string, number>>;
  readonly cost: { readonly perHour: number; readonly total: number };
  readonly unplaced: readonly Unplaced[];
  /** Workloads with fewer pods than they ask for. */
  readonly short: readonly string[];
  readonly seed: number;
}
