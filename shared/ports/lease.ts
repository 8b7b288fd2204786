import type { Fault } from "#core/fault.ts";

/** A Lease as it is stored. Who holds it may act; whoever waits writes its name as the successor. */
export interface LeaseRecord {
  /** "" while nobody holds it. */
  readonly holder: string;
  /** "" while nobody waits. */
  readonly successor: string;
  readonly renewedAtMs: number;
  readonly durationMs: number;
  /** How often it has changed hands. */
  readonly transitions: number;
  readonly version: string;
}

export type LeaseAnswer =
  | {
      readonly kind: "read";
      /** Absent: there is none yet. */
      readonly record?: LeaseRecord;
      /** The API server's clock when it answered, whole seconds: expiry is judged by it and by nobody else's. */
      readonly serverNowMs: number;
    }
  | { readonly kind: "failed"; readonly fault: Fault };

/** Leader election objects of the cluster (coordination.k8s.io). */
export interface Leases {
  /** Ours. */
  readonly read: () => Promise<LeaseAnswer>;
  /** Writes ours if it is still at `basedOn` (undefined: if there is none yet); otherwise a conflict. */
  readonly write: (next: Omit<LeaseRecord, "version">, basedOn: string | undefined) => Promise<LeaseAnswer>;
  /** Those by which Karpenter's own controllers elect a leader, in whatever namespace. */
  readonly readKarpenter: () => Promise<
    | { readonly kind: "read"; readonly records: readonly LeaseRecord[]; readonly serverNowMs: number }
    | { readonly kind: "failed"; readonly fault: Fault }
  >;
}

/** Karpenter: LEADER_ELECTION_NAME's default. */
export const karpenterLeaseName = "karpenter-leader-election";
/** On our Lease: who waits for it. */
export const successorAnnotation = "outrigger.dev/successor";
