/**
 * Draws where Karpenter leaves it to the order of a map: which of equally full domains is taken. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topologygroup.go, nextDomainTopologySpread. It differs: the same seed draws the
 * same.
 */

export class DomainDraw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number below `count`. */
  below(count: number): number {
    // Weyl sequence, then a mix of its bits (splitmix32).
    this.#state = (this.#state + 0x9e37_79b9) | 0;
    let bits = this.#state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
    return ((bits ^ (bits >>> 16)) >>> 0) % count;
  }

  of<T>(items: readonly T[]): T | undefined {
    return items.length <= 1 ? items[0] : items[this.below(items.length)];
  }
}
