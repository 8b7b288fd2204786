/** Karpenter counterpart: none; it generates random names. Here names and digests follow from what they name. */
/** Start of the second of two hashes, which together are wide enough. */
const secondSeed = 0x9e3779b9;
const offset = 0x811c9dc5;
const prime = 0x01000193;

/** Final mixing (murmur3): FNV alone leaves the low bits of short texts alike. */
function mixed(hash: number): number {
  let h = hash ^ (hash >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

const digitsAtOnce = 6;
const divisor = 36 ** digitsAtOnce;

/** A name-safe digest of `text`, `length` ≤ 12 characters of 0-9a-z; for names, not for secrets. */
export function stableHash(text: string, length: number): string {
  // 32-bit FNV-1a over UTF-16 code units, twice.
  let high = offset;
  let low = offset ^ secondSeed;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    high = Math.imul(high ^ unit, prime);
    low = Math.imul(low ^ unit, prime);
  }
  high = mixed(high);
  low = mixed(low);
  const last = lastDigits(high, low);
  if (length <= digitsAtOnce) return last.text.slice(digitsAtOnce - length);
  const before = lastDigits(Math.floor(last.rest / 2 ** 32), last.rest % 2 ** 32);
  return (before.text + last.text).slice(2 * digitsAtOnce - length);
}

/** The last digits, in base 36, of the number of 64 bits that the two make, and that number without them. */
function lastDigits(high: number, low: number): { readonly text: string; readonly rest: number } {
  // Divided 16 bits at a time: each part times 2^16 is counted exactly.
  const middle = (high % divisor) * 2 ** 16 + (low >>> 16);
  const lowest = (middle % divisor) * 2 ** 16 + (low & 0xffff);
  const rest =
    Math.floor(high / divisor) * 2 ** 32 + Math.floor(middle / divisor) * 2 ** 16 + Math.floor(lowest / divisor);
  return { text: (lowest % divisor).toString(36).padStart(digitsAtOnce, "0"), rest };
}
