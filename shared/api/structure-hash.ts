/**
 * The 64-bit hash by which Karpenter notices a changed template. Karpenter counterpart: mitchellh/hashstructure v2
 * (FormatV2, FNV-1, SlicesAsSets, IgnoreZeroValue, ZeroNil). It differs: the caller describes the value with Go's names
 * and kinds, because those are part of the hash. Its quirks are kept, for claims carry hashes that Karpenter wrote: an
 * empty list or map differs from an absent one, and equal members of a list cancel each other out.
 */

/** A bigint is an integer of any width, a number a float64, a boolean an int8; undefined is Go's zero value or nil. */
export type HashedValue =
  | string
  | bigint
  | number
  | boolean
  | HashedStruct
  | HashedMap
  | HashedList
  | HashedTime
  | HashedPointer;

export interface HashedStruct {
  readonly kind: "struct";
  /** Go's type name, without the package. */
  readonly name: string;
  /** Exported fields in the order of declaration; embedded ones under their type's name, ignored ones left out. */
  readonly fields: readonly (readonly [string, HashedValue | undefined])[];
}

export interface HashedMap {
  readonly kind: "map";
  readonly entries: Readonly<Record<string, string>>;
}

export interface HashedList {
  readonly kind: "list";
  readonly members: readonly HashedValue[];
}

/** A time.Time in whole seconds, in the local zone of a container, which is UTC. */
export interface HashedTime {
  readonly kind: "time";
  readonly ms: number;
}

/** Set, and so never left out as a zero value, although what it points to may be one. */
export interface HashedPointer {
  readonly kind: "pointer";
  readonly to: HashedValue;
}

/** Unsigned. Print it in decimal. */
export function structureHash(value: HashedValue): bigint {
  switch (typeof value) {
    case "string":
      return fnv(utf8(value));
    case "bigint":
      return fnv(littleEndian(value));
    case "boolean":
      return fnv([value ? 1 : 0]);
    case "number":
      return fnv([...new Uint8Array(new Float64Array([value]).buffer)]);
    default:
      return compositeHash(value);
  }
}

function compositeHash(value: HashedStruct | HashedMap | HashedList | HashedTime | HashedPointer): bigint {
  switch (value.kind) {
    case "struct":
      return structHash(value);
    case "map":
      return ofOne(
        Object.entries(value.entries).reduce<bigint>(
          (hash, [key, text]) => hash ^ ofTwo(fnv(utf8(key)), fnv(utf8(text))),
          0n,
        ),
      );
    case "list":
      return value.members.reduce<bigint>((hash, member) => hash ^ structureHash(member), 0n);
    case "time":
      return fnv(binaryTime(value.ms));
    case "pointer":
      return structureHash(value.to);
  }
}

function structHash({ name, fields }: HashedStruct): bigint {
  let hash = fnv(utf8(name));
  for (const [field, value] of fields) {
    if (value === undefined || isZero(value)) continue;
    hash = ofOne(hash ^ ofTwo(fnv(utf8(field)), structureHash(value)));
  }
  return hash;
}

/** Go's reflect.Value.IsZero. */
function isZero(value: HashedValue): boolean {
  if (typeof value !== "object") return value === "" || value === 0n || value === 0 || value === false;
  return value.kind === "struct" && value.fields.every(([, field]) => field === undefined || isZero(field));
}

function ofOne(hash: bigint): bigint {
  return fnv(littleEndian(hash));
}

function ofTwo(first: bigint, second: bigint): bigint {
  return fnv([...littleEndian(first), ...littleEndian(second)]);
}

/** Seconds from year 1 to 1970. */
const epochSeconds = 62_135_596_800;

/** Go's Time.MarshalBinary: version 1, seconds since year 1, nanoseconds, offset in minutes; big-endian. */
function binaryTime(ms: number): readonly number[] {
  const seconds = [...littleEndian(BigInt(Math.floor(ms / 1_000) + epochSeconds))].reverse();
  return [1, ...seconds, 0, 0, 0, 0, 0, 0];
}

/** FNV-1 (multiply, then XOR) with 64 bits in two halves; the prime is 2^40 + 0x1b3. */
function fnv(bytes: readonly number[]): bigint {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of bytes) {
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + ((low << 8) >>> 0)) % 2 ** 32;
    low = ((product >>> 0) ^ byte) >>> 0;
  }
  return (BigInt(high) << 32n) | BigInt(low);
}

/** The eight bytes of a 64-bit integer. */
function littleEndian(value: bigint): readonly number[] {
  const bits = BigInt.asUintN(64, value);
  return Array.from({ length: 8 }, (_, i) => Number((bits >> BigInt(8 * i)) & 0xffn));
}

/** A lone surrogate becomes U+FFFD, as JSON readers of Go make it. */
function utf8(text: string): readonly number[] {
  const bytes: number[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const code = point >= 0xd800 && point <= 0xdfff ? 0xfffd : point;
    if (code < 0x80) bytes.push(code);
    else if (code < 0x800) bytes.push(0xc0 | (code >> 6), continuation(code, 0));
    else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), continuation(code, 6), continuation(code, 0));
    else bytes.push(0xf0 | (code >> 18), continuation(code, 12), continuation(code, 6), continuation(code, 0));
  }
  return bytes;
}

function continuation(code: number, shift: number): number {
  return 0x80 | ((code >> shift) & 0x3f);
}
