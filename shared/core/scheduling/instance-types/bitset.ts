/** Karpenter counterpart: none, because it filters lists of types. */
/** A set of small integers, 32 a word; here always indices of instance types. Operands of one operation have equal length. */
export type Bitset = Uint32Array;

export function emptyBitset(size: number): Bitset {
  return new Uint32Array((size + 31) >>> 5);
}

export function fullBitset(size: number): Bitset {
  const bits = emptyBitset(size).fill(0xffff_ffff);
  const rest = size & 31;
  if (rest !== 0) bits[bits.length - 1] = 2 ** rest - 1;
  return bits;
}

export function add(bits: Bitset, index: number): void {
  const word = index >>> 5;
  bits[word] = (bits[word] ?? 0) | (1 << (index & 31));
}

export function has(bits: Bitset, index: number): boolean {
  return ((bits[index >>> 5] ?? 0) & (1 << (index & 31))) !== 0;
}

/** into ∩= other */
export function keep(into: Bitset, other: Bitset): void {
  for (let w = 0; w < into.length; w++) into[w] = (into[w] ?? 0) & (other[w] ?? 0);
}

/** into ∪= other */
export function include(into: Bitset, other: Bitset): void {
  for (let w = 0; w < into.length; w++) into[w] = (into[w] ?? 0) | (other[w] ?? 0);
}

export function both(a: Bitset, b: Bitset): Bitset {
  const bits = a.slice();
  keep(bits, b);
  return bits;
}

/** Those of `a` that are not in `b`. */
export function without(a: Bitset, b: Bitset): Bitset {
  const bits = a.slice();
  for (let w = 0; w < bits.length; w++) bits[w] = (bits[w] ?? 0) & ~(b[w] ?? 0);
  return bits;
}

export function intersects(a: Bitset, b: Bitset): boolean {
  for (let w = 0; w < a.length; w++) if (((a[w] ?? 0) & (b[w] ?? 0)) !== 0) return true;
  return false;
}

export function isSame(a: Bitset, b: Bitset): boolean {
  for (let w = 0; w < a.length; w++) if (a[w] !== b[w]) return false;
  return true;
}

/** Equal for equal sets, and mostly for no others. */
export function hashOf(bits: Bitset): number {
  let hash = 0;
  for (let w = 0; w < bits.length; w++) hash = (hash * 31 + (bits[w] ?? 0)) | 0;
  return hash;
}

export function isEmpty(bits: Bitset): boolean {
  for (let w = 0; w < bits.length; w++) if (bits[w] !== 0) return false;
  return true;
}

export function countOf(bits: Bitset): number {
  let count = 0;
  for (let w = 0; w < bits.length; w++) {
    let word = bits[w] ?? 0;
    word -= (word >>> 1) & 0x5555_5555;
    word = (word & 0x3333_3333) + ((word >>> 2) & 0x3333_3333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
  }
  return count;
}

/** Ascending. */
export function indicesOf(bits: Bitset): number[] {
  const indices: number[] = [];
  for (let w = 0; w < bits.length; w++) {
    let word = bits[w] ?? 0;
    while (word !== 0) {
      const lowest = word & -word;
      indices.push((w << 5) + 31 - Math.clz32(lowest));
      word ^= lowest;
    }
  }
  return indices;
}
