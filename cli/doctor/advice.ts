/** One practice that an object does not follow. */
export interface Advice {
  /** `NodePool/default`. */
  readonly object: string;
  readonly field: string;
  /** What is so, with its numbers. */
  readonly found: string;
  /** What to write instead. */
  readonly fix: string;
}

export function adviceText({ object, field, found, fix }: Advice): string {
  return `${object}: ${field}: ${found}; ${fix}`;
}

/** By object, then by field: the same cluster gives the same list. */
export function sortedAdvice(all: readonly Advice[]): readonly Advice[] {
  const key = ({ object, field, found }: Advice): string => `${object} ${field} ${found}`;
  return [...all].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
