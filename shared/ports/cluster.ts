import type { ClusterCommand } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import type { ClusterView } from "#core/snapshot.ts";

/** A Kubernetes cluster. Nothing here throws for what the API server answers: that is an Outcome. */
export interface Cluster {
  /** One consistent-enough view; nodes are read before pods, so that free capacity is over- rather than under-estimated. */
  readonly observe: () => Promise<ClusterView>;
  readonly apply: (command: ClusterCommand) => Promise<Outcome>;
  /** Resolves when an object that a tick reads has changed since the last observe, or at `deadlineMs`. */
  readonly nextChange: (deadlineMs: number) => Promise<"changed" | "deadline">;
}
