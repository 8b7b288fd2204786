/**
 * Karpenter counterpart: none, because it compares each type with each pod. Types by how much they have of one
 * resource.
 */
import { add, type Bitset, emptyBitset } from "./bitset.ts";

/**
 * Which members of a list have at least, or at most, some amount: one bitset for each distinct amount, found by binary
 * search. Memory: distinct amounts × members / 4 bytes for the two directions together.
 */
export class ThresholdIndex {
  readonly #amounts: readonly number[];
  readonly #members: readonly (readonly number[])[];
  readonly #size: number;
  readonly #none: Bitset;
  #upwards: readonly Bitset[] | undefined;
  #downwards: readonly Bitset[] | undefined;

  constructor(amounts: readonly number[]) {
    const distinct = [...new Set(amounts)].sort((a, b) => a - b);
    const rankOf = new Map(distinct.map((amount, rank) => [amount, rank]));
    const members: number[][] = distinct.map(() => []);
    for (const [index, amount] of amounts.entries()) members[rankOf.get(amount) ?? 0]?.push(index);
    this.#amounts = distinct;
    this.#members = members;
    this.#size = amounts.length;
    this.#none = emptyBitset(amounts.length);
  }

  /** The caller must not change the result. */
  atLeast(amount: number): Bitset {
    this.#upwards ??= accumulated([...this.#members].reverse(), this.#size).reverse();
    return this.#upwards[this.#firstAtLeast(amount)] ?? this.#none;
  }

  /** The caller must not change the result. */
  atMost(amount: number): Bitset {
    const rank = this.#firstAtLeast(amount);
    const exact = this.#amounts[rank] === amount;
    this.#downwards ??= accumulated(this.#members, this.#size);
    return this.#downwards[exact ? rank : rank - 1] ?? this.#none;
  }

  #firstAtLeast(amount: number): number {
    let low = 0;
    let high = this.#amounts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#amounts[middle] ?? 0) < amount) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function accumulated(members: readonly (readonly number[])[], size: number): Bitset[] {
  const bits = emptyBitset(size);
  return members.map((indices) => {
    for (const index of indices) add(bits, index);
    return bits.slice();
  });
}
