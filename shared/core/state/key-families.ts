/**
 * Karpenter counterpart: none; what it keeps in memory is here a fact each in the data of one ConfigMap, which holds
 * 1 MiB. This table is all that it may hold: which keys there are, how many, how long, and when each is over. Keys of no
 * family (a pause, another version's) are left alone.
 */
export interface KeyFamily {
  /** Of its keys; no family's prefix begins another's. */
  readonly prefix: string;
  /** The file that writes and reads these keys. */
  readonly writtenBy: string;
  readonly keysMax: number;
  /** Of a key and its value together, in UTF-8. */
  readonly bytesMax: number;
  /** When the fact says nothing any more, ms; Infinity for never, 0 for a value that cannot be read. */
  readonly overAtMs: (value: string) => number;
  /** Where there are too many, the least goes first; absent: `overAtMs`. */
  readonly worth?: (value: string) => number;
  /** The key ends in the UID of such an object, and goes with it. */
  readonly goesWith?: "nodes" | "nodePools";
}

const minuteMs = 60_000;

export const keyFamilies = {
  /** Value: `<until ms> <for ms>`; the next time within `for` after `until` is twice as long. */
  unavailable: {
    prefix: "unavailable.",
    writtenBy: "shared/core/state/unavailable-offerings.ts",
    keysMax: 3_000,
    bytesMax: 110,
    overAtMs: (value) => numberAt(value, 0) + numberAt(value, 1),
    // What is only history goes before what must not be asked for now.
    worth: (value) => numberAt(value, 0),
  },
  /** Value: `<until ms> <pause ms> <pods>`. */
  eviction: {
    prefix: "eviction.",
    writtenBy: "shared/core/node/eviction-retry.ts",
    keysMax: 400,
    bytesMax: 520,
    overAtMs: (value) => numberAt(value, 0) + 10 * minuteMs,
    goesWith: "nodes",
  },
  /** Value: the last outcomes, and why the last failure was one. */
  registration: {
    prefix: "registration.",
    writtenBy: "shared/core/state/registration-outcomes.ts",
    keysMax: 300,
    bytesMax: 500,
    overAtMs: () => Number.POSITIVE_INFINITY,
    goesWith: "nodePools",
  },
  /** Value: as of `unavailable`. */
  backOff: {
    prefix: "back-off.",
    writtenBy: "shared/core/state/pool-back-off.ts",
    keysMax: 300,
    bytesMax: 130,
    overAtMs: (value) => numberAt(value, 0) + numberAt(value, 1),
    goesWith: "nodePools",
  },
  /** Value: as of `unavailable`. */
  joining: {
    prefix: "joining.",
    writtenBy: "shared/core/state/join-back-off.ts",
    keysMax: 300,
    bytesMax: 130,
    overAtMs: (value) => numberAt(value, 0) + numberAt(value, 1),
    goesWith: "nodePools",
  },
  /** One a disruption method. Value: `<at ms> <delete or replace> <UIDs>`. */
  proposal: {
    prefix: "proposal.",
    writtenBy: "shared/core/disruption/proposal.ts",
    keysMax: 4,
    bytesMax: 19_000,
    overAtMs: (value) => numberAt(value, 0) + 10 * minuteMs,
  },
  /** Value: `<bytes of memory> <bytes of storage> <until ms>`. */
  learned: {
    prefix: "learned.",
    writtenBy: "shared/ec2/instance-type/learned-capacity.ts",
    keysMax: 1_000,
    bytesMax: 90,
    overAtMs: (value) => numberAt(value, 2),
  },
  /** Value: `<attempts> <since ms> <until ms> <what was missing>`. */
  misfit: {
    prefix: "misfit.",
    writtenBy: "shared/core/provisioning/misfits.ts",
    keysMax: 200,
    bytesMax: 400,
    overAtMs: (value) => numberAt(value, 2),
  },
  /** When instances were last looked through for lost ones, ms. */
  collection: {
    prefix: "collection.",
    writtenBy: "shared/core/nodeclaim/instance-garbage-collection.ts",
    keysMax: 1,
    bytesMax: 50,
    overAtMs: () => Number.POSITIVE_INFINITY,
  },
  /** A notice that came before its instance was recorded on a claim, by the instance. Value: `<at ms> <kind>`. */
  interruption: {
    prefix: "interruption.",
    writtenBy: "shared/core/nodeclaim/remembered-interruptions.ts",
    keysMax: 200,
    bytesMax: 90,
    overAtMs: (value) => numberAt(value, 0) + 5 * minuteMs,
  },
  /** One key: Outrigger is being removed. Value: since when, ms. */
  removal: {
    prefix: "being-removed",
    writtenBy: "shared/core/state/removal.ts",
    keysMax: 1,
    bytesMax: 40,
    overAtMs: () => Number.POSITIVE_INFINITY,
  },
} as const satisfies Readonly<Record<string, KeyFamily>>;

export type KeyFamilyName = keyof typeof keyFamilies;

/** The family that a key belongs to; undefined for a key that is none of ours to judge. */
export function familyOf(key: string): KeyFamily | undefined {
  return Object.values<KeyFamily>(keyFamilies).find(({ prefix }) => key.startsWith(prefix));
}

/** The n-th of the value's words as a number; 0 when it is none. */
function numberAt(value: string, index: number): number {
  const word = value.split(" ", index + 1)[index] ?? "";
  return /^\d{1,16}$/.test(word) ? Number(word) : 0;
}
