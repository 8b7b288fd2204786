import type { ClusterCommand } from "#core/command.ts";
import type { Outcome } from "#core/outcome.ts";
import type { ClusterView } from "#core/snapshot.ts";

/** What a wait is for. */
export type ChangesOf = "anything" | "pending-pods";

/** How a wait ended. "joining": a node changed that waits to be registered, and no pod has arrived that may bring more. */
export type Woken = "changed" | "joining" | "deadline";

/**
 * How much a look reads. An interruption asks for "claims", NodeClaims alone, and only when one is concerned for
 * "around-claims": Nodes, NodePools and the state. These two are read anew, so that they show what another wrote before;
 * "everything" may rest on what watches have told.
 */
export type LookScope = "everything" | "claims" | "around-claims";

/** A Kubernetes cluster. Nothing here throws for what the API server answers to a command: that is an Outcome. */
export interface Cluster {
  /**
   * A view with each list sorted; nodes are read before pods, so that free capacity is over- rather than
   * under-estimated. What is not in the scope is left empty.
   */
  readonly observe: (scope: LookScope) => Promise<ClusterView>;
  readonly apply: (command: ClusterCommand) => Promise<Outcome>;
  /**
   * Resolves with "changed" or "joining" when an object that a tick reads has changed since the last `observe` or since
   * this function last told so, whichever is later; with "deadline" at `deadlineMs`. Of "pending-pods" only pods count
   * that have no node and were not heard of since the last `observe`, and nodes that wait to be registered; what else
   * changes is kept for the next call. heard-changes.ts is that rule.
   */
  readonly nextChange: (deadlineMs: number, of?: ChangesOf) => Promise<Woken>;
}
