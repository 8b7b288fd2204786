/** Karpenter counterpart: none. Numbers are looked up faster than texts made of them. */

/** Numbers stay exact as long as both of a pair are below it; no problem has so many pods. */
const base = 2 ** 26;

/** Numbers pairs of numbers, in the order in which they come. */
export class PairNumbers {
  readonly #known = new Map<number, number>();

  of(first: number, second: number): number {
    const pair = first * base + second;
    const known = this.#known.get(pair);
    if (known !== undefined) return known;
    const number = this.#known.size;
    this.#known.set(pair, number);
    return number;
  }
}
