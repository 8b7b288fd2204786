/** Karpenter counterpart: none, because it asks every node for every pod. */

/** The amounts that a place must have, at least one; what is not asked for is not looked at. */
export interface RoomAsk {
  /** Which amounts. */
  readonly amounts: readonly number[];
  /** By place in that list. */
  readonly least: readonly number[];
}

/** `wanted`: by number of the amount; undefined where any will do. */
export function roomAsk(wanted: readonly (number | undefined)[]): RoomAsk {
  const amounts = [...wanted.keys()].filter((amount) => wanted[amount] !== undefined);
  return { amounts, least: amounts.map((amount) => wanted[amount] ?? 0) };
}

/**
 * The room of many places, several amounts each, over which the first place with enough of everything is found without
 * looking at all of them: each inner node of a binary tree holds the most that any place below it has.
 */
export class RoomTree {
  readonly #width: number;
  #capacity = 16;
  #size = 0;
  /** Node n's amounts start at n × width; the root is node 1, place i is node capacity + i. */
  #most: Float64Array;

  constructor(width: number) {
    this.#width = width;
    this.#most = new Float64Array(2 * this.#capacity * width).fill(-Infinity);
  }

  get size(): number {
    return this.#size;
  }

  /** A place without any room; its number. */
  push(): number {
    if (this.#size === this.#capacity) this.#grow();
    return this.#size++;
  }

  set(place: number, room: Float64Array): void {
    const width = this.#width;
    const most = this.#most;
    let node = this.#capacity + place;
    for (let w = 0; w < width; w++) most[node * width + w] = room[w] ?? 0;
    for (node >>= 1; node >= 1; node >>= 1) {
      let changed = false;
      const [own, left, right] = [node * width, 2 * node * width, (2 * node + 1) * width];
      for (let w = 0; w < width; w++) {
        const larger = Math.max(most[left + w] ?? 0, most[right + w] ?? 0);
        if (most[own + w] === larger) continue;
        most[own + w] = larger;
        changed = true;
      }
      if (!changed) return;
    }
  }

  remove(place: number): void {
    this.set(place, new Float64Array(this.#width).fill(-Infinity));
  }

  /** The first place from number `from` on with all that is asked; -1 when there is none. */
  first(from: number, { amounts, least }: RoomAsk): number {
    if (from >= this.#size) return -1;
    const count = amounts.length;
    const capacity = this.#capacity;
    const [most, width] = [this.#most, this.#width];
    let node = capacity + from;
    // Each round goes down one level or on to the right, so it visits a node once.
    for (;;) {
      let i = 0;
      const start = node * width;
      while (i < count && (most[start + (amounts[i] ?? 0)] ?? 0) >= (least[i] ?? 0)) i++;
      if (i === count) {
        if (node >= capacity) return node - capacity;
        node = 2 * node;
        continue;
      }
      // The next subtree to the right: up to the first ancestor that is a left child, then its sibling.
      const next = node + 1;
      node = next >> (31 - Math.clz32(next & -next));
      if (node === 1) return -1;
    }
  }

  #grow(): void {
    const [before, capacity, width] = [this.#most, this.#capacity, this.#width];
    this.#capacity = 2 * capacity;
    this.#most = new Float64Array(2 * this.#capacity * width).fill(-Infinity);
    this.#most.set(before.subarray(capacity * width), this.#capacity * width);
    for (let node = this.#capacity - 1; node >= 1; node--) {
      for (let w = 0; w < width; w++) {
        this.#most[node * width + w] = Math.max(
          this.#most[2 * node * width + w] ?? 0,
          this.#most[(2 * node + 1) * width + w] ?? 0,
        );
      }
    }
  }
}
