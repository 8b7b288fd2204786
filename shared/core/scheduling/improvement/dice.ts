/**
 * Numbers that look random and are the same each time: a step of the search draws from them. xorshift, 32 bits. Karpenter
 * counterpart: none; it draws from the runtime, so that its answers vary.
 */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** From 0 to below `n`. */
  below(n: number): number {
    return Math.floor(this.share() * n);
  }

  /** From 0 to below 1. */
  share(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state / 2 ** 32;
  }
}
