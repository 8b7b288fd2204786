/** A case of a CRD: changes to a valid base object, by JSON pointer, in the order set, entries, repeat, fill, remove. */
export interface Changes {
  /** Puts a value. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Puts so many entries into the map there. */
  readonly entries?: Readonly<Record<string, number>>;
  /** Repeats the first item of the list there, to so many. */
  readonly repeat?: Readonly<Record<string, number>>;
  /** Repeats the first character of the text there, to so many. */
  readonly fill?: Readonly<Record<string, number>>;
  readonly remove?: readonly string[];
}

export interface CrdCase extends Changes {
  readonly name: string;
  /** Present: the case is an update of the base with these changes. */
  readonly before?: Changes;
  readonly valid: boolean;
  readonly field?: string;
}

export interface CrdCases {
  readonly kind: string;
  readonly base: unknown;
  /** A valid object with every field set. */
  readonly full: unknown;
  readonly cases: readonly CrdCase[];
}

type Container = Record<string, unknown>;

export function objectOf(base: unknown, changes: Changes): unknown {
  const object = structuredClone(base) as Container;
  const change = (pointer: string, to: (value: unknown) => unknown): void => {
    const [holder, key] = place(object, pointer);
    holder[key] = to(holder[key]);
  };
  for (const [pointer, value] of Object.entries(changes.set ?? {})) change(pointer, () => structuredClone(value));
  for (const [pointer, count] of Object.entries(changes.entries ?? {})) {
    change(pointer, () => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key-${i}`, "x"])));
  }
  for (const [pointer, count] of Object.entries(changes.repeat ?? {})) {
    change(pointer, (list) => Array.from({ length: count }, () => structuredClone((list as unknown[])[0])));
  }
  for (const [pointer, count] of Object.entries(changes.fill ?? {})) {
    change(pointer, (text) => String(text).slice(0, 1).repeat(count));
  }
  for (const pointer of changes.remove ?? []) {
    const [holder, key] = place(object, pointer);
    if (Array.isArray(holder)) holder.splice(Number(key), 1);
    else delete holder[key];
  }
  return object;
}

export function storedObjectOf(base: unknown, { before }: CrdCase): unknown {
  return before === undefined ? undefined : objectOf(base, before);
}

/** The object or list that a pointer's last step is in; steps in between are made as objects. */
function place(object: Container, pointer: string): [Container, string] {
  const steps = pointer.slice(1).split("/");
  const last = steps.pop() ?? "";
  let holder = object;
  for (const step of steps) {
    holder[step] ??= {};
    holder = holder[step] as Container;
  }
  return [holder, last];
}

const long = (length: number): string => "x".repeat(length);

/** Values that a field of the same type must refuse somewhere: both sides of every bound that the CRDs have, other forms. */
const numbers: readonly unknown[] = [
  ...[-2_147_483_649, -1, 0, 1, 1.5, 29, 30, 31, 50, 51, 59, 60, 61, 64, 65, 99, 100, 101, 180, 181],
  ...[299, 300, 301, 432_000, 432_001, 2_147_483_647, 2_147_483_648, 1e300],
];
const texts: readonly unknown[] = [
  ...[
    "",
    " ",
    "a",
    "A",
    "a b",
    "a/b",
    "/b",
    "a/",
    "é",
    "-1",
    "1",
    "1.5",
    "007",
    "10%",
    "100%",
    "101%",
    "Never",
    "1h",
    "1d",
    "0s",
  ],
  ...[
    "5Gi",
    "5GB",
    "1e3",
    "-5",
    "+5",
    "m",
    ".5",
    "5.",
    "In",
    "Exists",
    "Gt",
    "Lte",
    "enabled",
    "True",
    "2026-01-31T12:00:00Z",
  ],
  ...[
    "2026-01-31",
    "al2@v1",
    "id-1",
    "subnet-1",
    "sg-1",
    "ami-1",
    "cr-1",
    "pg-1",
    "x\n",
    "karpenter.sh/a",
    "kubernetes.io/hostname",
  ],
  ...[30, 31, 63, 64, 316, 317, 1024, 1025].map(long),
];
/** Only messages may be so long; some patterns take their time over it. */
const longest: readonly unknown[] = [32_768, 32_769].map(long);
const containers: readonly unknown[] = [
  ...[null, [], {}, [null], [{}], [""], ["a"], ["a", "a"], { a: "b" }, { "": "" }, { a: "" }, { a: null }, { cpu: -1 }],
];
const otherTypes: readonly unknown[] = [...containers, true, false, 1, "a", "1"];
const sizes = [0, 2, 20, 21, 30, 31, 50, 51, 100, 101, 150, 151];

interface Neighbour {
  readonly what: string;
  readonly object: unknown;
}

/** `object` with one value in spec or status replaced by each probe, left out, or (lists, maps) of another size. */
export function neighbours(object: unknown): readonly Neighbour[] {
  return pointersOf(object, "")
    .filter((pointer) => /^\/(spec|status)/.test(pointer))
    .flatMap((pointer) => [
      { what: `without ${pointer}`, object: objectOf(object, { remove: [pointer] }) },
      ...probesOf(pointer, valueAt(object, pointer)).map((probe) => ({
        what: `${pointer} ${JSON.stringify(probe)}`,
        object: objectOf(object, { set: { [pointer]: probe } }),
      })),
      ...sizesOf(pointer, valueAt(object, pointer)).map((change) => ({
        what: JSON.stringify(change),
        object: objectOf(object, change),
      })),
    ]);
}

function probesOf(pointer: string, value: unknown): readonly unknown[] {
  if (typeof value === "number") return [...otherTypes, ...numbers];
  if (typeof value !== "string") return otherTypes;
  return [...otherTypes, ...texts, ...(pointer.endsWith("/message") ? longest : [])];
}

function sizesOf(pointer: string, value: unknown): readonly Changes[] {
  if (typeof value !== "object") return [];
  return sizes.map((size) =>
    Array.isArray(value) ? { repeat: { [pointer]: size } } : { entries: { [pointer]: size } },
  );
}

function pointersOf(value: unknown, at: string): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    const here = `${at}/${key}`;
    return [here, ...pointersOf(child, here)];
  });
}

function valueAt(object: unknown, pointer: string): unknown {
  const [holder, key] = place(structuredClone(object) as Container, pointer);
  return holder[key];
}
