/** Offsets of a copy have 16 bits. */
const blockBytes = 65_536;
const hashBits = 14;
/** A shorter match is dearer than the bytes themselves. */
const matchMin = 4;
const copyMax = 64;

/** Snappy's block format, which Prometheus' remote write asks for: repeated bytes become references to earlier ones. */
export function snappyCompressed(input: Uint8Array): Uint8Array {
  const out = new Writer(32 + input.length + Math.ceil(input.length / 4));
  for (let rest = input.length; ; rest = Math.floor(rest / 128)) {
    out.byte(rest < 128 ? rest : (rest % 128) + 128);
    if (rest < 128) break;
  }
  for (let start = 0; start < input.length; start += blockBytes) {
    compressBlock(input.subarray(start, start + blockBytes), out);
  }
  return out.bytes();
}

function compressBlock(block: Uint8Array, out: Writer): void {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const lastSeen = new Uint16Array(1 << hashBits);
  const isSeen = new Uint8Array(1 << hashBits);
  let literalFrom = 0;
  let at = 0;
  while (at + matchMin <= block.length) {
    const word = view.getUint32(at, true);
    const hash = Math.imul(word, 0x1e35a7bd) >>> (32 - hashBits);
    const candidate = lastSeen[hash] ?? 0;
    const matches = isSeen[hash] === 1 && view.getUint32(candidate, true) === word;
    lastSeen[hash] = at;
    isSeen[hash] = 1;
    if (!matches) {
      at++;
      continue;
    }
    let length = matchMin;
    while (at + length < block.length && block[candidate + length] === block[at + length]) length++;
    out.literal(block.subarray(literalFrom, at));
    out.copy(at - candidate, length);
    at += length;
    literalFrom = at;
  }
  out.literal(block.subarray(literalFrom));
}

class Writer {
  readonly #buffer: Uint8Array;
  #length = 0;

  constructor(bytesMax: number) {
    this.#buffer = new Uint8Array(bytesMax);
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#buffer[this.#length++] = value;
  }

  literal(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const size = bytes.length - 1;
    if (size < 60) this.byte(size << 2);
    else {
      this.byte((size < 256 ? 60 : 61) << 2);
      this.byte(size & 255);
      if (size >= 256) this.byte(size >> 8);
    }
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  copy(offset: number, length: number): void {
    for (let rest = length; rest > 0; rest -= copyMax) {
      this.byte(((Math.min(rest, copyMax) - 1) << 2) | 2);
      this.byte(offset & 255);
      this.byte(offset >> 8);
    }
  }
}
