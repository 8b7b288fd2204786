/** Karpenter counterpart: none; it draws from math/rand. Here every draw follows from the snapshot's seed. */
/**
 * A seeded generator (mulberry32): the same seed gives the same sequence on every machine.
 * Returns a function that draws a number in [0, 1).
 */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
