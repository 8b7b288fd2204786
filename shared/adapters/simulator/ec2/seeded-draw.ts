import { randomFrom } from "#core/random.ts";
import { stableHash } from "#core/stable-hash.ts";

/** 32 bits of `text`; 36^6 < 2^32. */
function hash32(text: string): number {
  return Number.parseInt(stableHash(text, 6), 36);
}

/**
 * A number in [0, 1) that depends on the seed and on what is asked, not on the order of asking: two simulated parts
 * never disturb each other's luck, and parallel calls draw the same as calls one after another.
 */
export function draw(seed: number, question: string): number {
  return randomFrom(hash32(`${seed} ${question}`))();
}

/** `[least, most]`, ms. */
export type DelayRange = readonly [number, number];

export function drawDelayMs(seed: number, question: string, range: DelayRange): number {
  const [least, most] = range;
  return Math.round(least + (most - least) * draw(seed, question));
}

/** Seventeen hexadecimal digits, as EC2's long ids have. */
export function hexId(prefix: string, text: string): string {
  const high = hash32(text).toString(16).padStart(8, "0");
  const low = hash32(`${text} again`).toString(16).padStart(8, "0");
  return `${prefix}-0${high}${low}`;
}
