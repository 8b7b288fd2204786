/** What a line of the timeline is about; the words that people and programs filter by. */
export const entryKinds = [
  "apply",
  "scale",
  "pods",
  "waiting",
  "placed",
  "decision",
  "launch",
  "registered",
  "ready",
  "interruption",
  "disruption",
  "drain",
  "eviction",
  "terminated",
  "kept",
  "unsupported",
  "trouble",
  "note",
] as const;
export type EntryKind = (typeof entryKinds)[number];

/** Something that happened, before it has a place in the timeline. */
export interface Happening {
  readonly kind: EntryKind;
  /** `NodeClaim/default-1x2y3z`; absent where several objects or none are meant. */
  readonly object?: string;
  readonly message: string;
  /** A table or the like below the message. */
  readonly lines?: readonly string[];
}

export interface TimelineEntry extends Happening {
  /** Virtual time, RFC 3339. */
  readonly time: string;
  /** Seconds since the start of the run. */
  readonly second: number;
}
