/**
 * Karpenter counterpart: none, because it compares each type with each pod. Types by how much they have of one
 * resource.
 */
import { add, type Bitset, emptyBitset } from "./bitset.ts";

/**
 * Which members of a list have at least, or at most, some amount: one bitset for each distinct amount, found by binary
 * search; all of a direction lie in one array. Memory: distinct amounts × members / 4 bytes for the two directions together.
 */
export class ThresholdIndex {
  readonly #amounts: Float64Array;
  readonly #members: readonly (readonly number[])[];
  readonly #size: number;
  readonly #words: number;
  #upwards: Uint32Array | undefined;
  #downwards: Uint32Array | undefined;

  constructor(amounts: readonly number[]) {
    const distinct = Float64Array.from(new Set(amounts)).sort();
    const members: number[][] = [];
    const byAmount = new Map<number, number[]>();
    for (let rank = 0; rank < distinct.length; rank++) {
      const list: number[] = [];
      members.push(list);
      byAmount.set(distinct[rank] ?? 0, list);
    }
    for (let index = 0; index < amounts.length; index++) byAmount.get(amounts[index] ?? 0)?.push(index);
    this.#amounts = distinct;
    this.#members = members;
    this.#size = amounts.length;
    this.#words = emptyBitset(amounts.length).length;
  }

  /** into ∩= those with at least `amount` */
  keepAtLeast(into: Bitset, amount: number): void {
    const rank = this.#firstAtLeast(amount);
    this.#upwards ??= this.#accumulated(this.#members.length - 1, -1);
    // Beyond the last amount the array has nothing, which is nobody.
    const start = rank * this.#words;
    for (let w = 0; w < into.length; w++) into[w] = (into[w] ?? 0) & (this.#upwards[start + w] ?? 0);
  }

  /** into ∩= those with at most `amount` */
  keepAtMost(into: Bitset, amount: number): void {
    const rank = this.#firstAtLeast(amount);
    const exact = this.#amounts[rank] === amount;
    this.#downwards ??= this.#accumulated(0, 1);
    const start = (exact ? rank : rank - 1) * this.#words;
    for (let w = 0; w < into.length; w++) into[w] = (into[w] ?? 0) & (this.#downwards[start + w] ?? 0);
  }

  #firstAtLeast(amount: number): number {
    const amounts = this.#amounts;
    let low = 0;
    let high = amounts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((amounts[middle] ?? 0) < amount) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** By rank, who comes from there on backwards, or up to there: from the rank `first` on in steps of `step`. */
  #accumulated(first: number, step: 1 | -1): Uint32Array {
    const words = this.#words;
    const bits = emptyBitset(this.#size);
    const all = new Uint32Array(this.#members.length * words);
    for (let rank = first; rank >= 0 && rank < this.#members.length; rank += step) {
      for (const index of this.#members[rank] ?? []) add(bits, index);
      for (let w = 0; w < words; w++) all[rank * words + w] = bits[w] ?? 0;
    }
    return all;
  }
}
