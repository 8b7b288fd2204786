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

const digits = "0123456789abcdefghijklmnopqrstuvwxyz";
/** Digits are taken two at a time, which halves the divisions. */
const pairs = Array.from({ length: 36 * 36 }, (_, i) => `${digits[Math.floor(i / 36)] ?? ""}${digits[i % 36] ?? ""}`);

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
  let digest = "";
  // The last digits, in base 36, of the number of 64 bits that the two make; each step divides it by 36².
  for (let i = 0; i < length; i += 2) {
    const rest = (high % 1_296) * 2 ** 32 + low;
    high = Math.floor(high / 1_296);
    low = Math.floor(rest / 1_296);
    digest = `${pairs[rest % 1_296] ?? ""}${digest}`;
  }
  return length % 2 === 0 ? digest : digest.slice(1);
}
