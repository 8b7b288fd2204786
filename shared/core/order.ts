/**
 * Karpenter counterpart: none; it sorts in place with Go's sort package. Orders for lists that can influence a decision:
 * total when the last of them compares a name, and the same on every machine.
 */
export type Order<T> = (a: T, b: T) => number;

/** By UTF-16 code units, whatever the language of the machine. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** By a number or a text of each item, rising. A key that is no number (NaN) would make the order partial. */
export function byKey<T>(keyOf: (item: T) => string | number): Order<T> {
  return (a, b) => {
    const [first, second] = [keyOf(a), keyOf(b)];
    return first < second ? -1 : first > second ? 1 : 0;
  };
}

/** By the first order that tells the two apart. */
export function inTurn<T>(...orders: readonly Order<T>[]): Order<T> {
  return (a, b) => {
    for (const order of orders) {
      const result = order(a, b);
      if (result !== 0) return result;
    }
    return 0;
  };
}
