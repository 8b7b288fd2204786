/** Seeded choices: equal seeds give equal sequences on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** mulberry32: the next 32 bits. */
  u32(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A whole number from 0 to n − 1. */
  below(n: number): number {
    return Math.floor((this.u32() / 2 ** 32) * n);
  }

  /** A whole number within both bounds. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(probability: number): boolean {
    return this.u32() < probability * 2 ** 32;
  }

  pick<T>(items: readonly [T, ...T[]]): T;
  pick<T>(items: readonly T[]): T;
  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** So many different items, in the list's order. */
  some<T>(items: readonly T[], count: number): readonly T[] {
    const wanted = new Set<number>();
    const order = items.map((_, index) => ({ index, at: this.u32() })).sort((a, b) => a.at - b.at);
    for (const { index } of order.slice(0, count)) wanted.add(index);
    return items.filter((_, index) => wanted.has(index));
  }

  shuffled<T>(items: readonly T[]): readonly T[] {
    return items
      .map((item) => ({ item, at: this.u32() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}
