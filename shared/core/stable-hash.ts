/** 32-bit FNV-1a over UTF-16 code units, with a seed so that two of them make a wider hash. */
function fnv1a(text: string, seed: number): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0;
  for (let i = 0; i < text.length; i++) {
    hash ^= text.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  // Final mixing (murmur3): FNV alone leaves the low bits of short texts alike.
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b) >>> 0;
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35) >>> 0;
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A name-safe digest of `text`, `length` ≤ 12 characters of 0-9a-z; for names, not for secrets. */
export function stableHash(text: string, length: number): string {
  const wide = (BigInt(fnv1a(text, 0)) << 32n) | BigInt(fnv1a(text, 0x9e3779b9));
  return wide.toString(36).padStart(13, "0").slice(-length);
}
