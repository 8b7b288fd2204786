/**
 * Kubernetes quantities (`500m`, `4Gi`, `1e3`). Karpenter counterpart: k8s.io/apimachinery resource.Quantity, as its
 * scheduler uses it. It differs: one exact representation (nano units in a BigInt) instead of two; what leaves the range
 * of int64 saturates instead of wrapping around; absurd exponents are invalid instead of taking minutes.
 */
import {
  binarySuffixes,
  decimalSuffixes,
  type QuantityFormat,
  type QuantitySuffix,
  readSuffix,
} from "./quantity-suffix.ts";

/** An exact amount. `text` is its spelling where Kubernetes keeps one that is not canonical (`+2`, `007`). */
export interface Quantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
  readonly text?: string;
}

type Rounding = "up" | "down";

const nanoPerUnit = 1_000_000_000n;
const nanoPerMilli = 1_000_000n;
const int64Max = 2n ** 63n - 1n;
/** Longest text that is read; a real quantity has a few dozen characters at most. */
const maxTextLength = 256;

const shape = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)$/;

/**
 * Reads a quantity; undefined for text that is none. Fractions of a nano round away from zero, binary amounts end at
 * ±(2^63−1). As in Kubernetes, missing digits are zero: `m`, `.` and `+` are 0, but `Pi` is invalid.
 */
export function parseQuantity(text: string): Quantity | undefined {
  if (text === "" || text.length > maxTextLength) return undefined;
  const match = shape.exec(text);
  if (match === null) return undefined;
  const [, sign = "", wholePart = "", decimals = "", suffixText = ""] = match;
  const suffix = readSuffix(suffixText);
  if (suffix === undefined || (wholePart + decimals === "" && !standsAlone(suffix))) return undefined;
  const whole = wholePart.replace(/^0+/, "") || "0";
  const magnitude = toNano(BigInt(whole + decimals), decimals.length, suffix);
  const nano = sign === "-" ? -magnitude : magnitude;
  // A fraction of a unit has no binary form.
  const format =
    suffix.format === "BinarySI" && magnitude < nanoPerUnit && magnitude > 0n ? "DecimalSI" : suffix.format;
  return keepsSpelling(whole, decimals, suffix) ? { nano, format, text } : { nano, format };
}

/** Suffixes that Kubernetes accepts without a digit. */
function standsAlone(suffix: QuantitySuffix): boolean {
  return suffix.base === 2 ? suffix.exponent < 50 : suffix.exponent >= -9;
}

function toNano(digits: bigint, decimals: number, suffix: QuantitySuffix): bigint {
  if (suffix.base === 2) {
    const nano = divideUp((digits << BigInt(suffix.exponent)) * nanoPerUnit, 10n ** BigInt(decimals));
    const limit = int64Max * nanoPerUnit;
    return nano > limit ? limit : nano;
  }
  const shift = suffix.exponent + 9 - decimals;
  return shift >= 0 ? digits * 10n ** BigInt(shift) : divideUp(digits, 10n ** BigInt(-shift));
}

/** Of two amounts ≥ 0. */
function divideUp(amount: bigint, by: bigint): bigint {
  return (amount + by - 1n) / by;
}

/**
 * Whether Kubernetes echoes the user's spelling: it does for what it takes for canonical at a glance (`1e+3`, `007`,
 * `1.500`) and rewrites the rest. Objects that are read back from an API server show it.
 */
function keepsSpelling(whole: string, decimals: string, suffix: QuantitySuffix): boolean {
  if (suffix.base === 2) {
    const room = 15 - whole.length - Math.trunc((suffix.exponent * 3) / 10) - 1;
    return decimals === "" && room >= 0 && (BigInt(whole) & 7n) !== 0n;
  }
  const digits = whole + decimals;
  const scale = suffix.exponent - decimals.length;
  return digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0");
}

/** Whole units, fractions rounded away from zero, saturated to int64. */
export function value(quantity: Quantity): bigint {
  return scaled(quantity.nano, nanoPerUnit, "up");
}

/** Thousandths, fractions rounded away from zero, saturated to int64. */
export function milliValue(quantity: Quantity): bigint {
  return scaled(quantity.nano, nanoPerMilli, "up");
}

function scaled(nano: bigint, unit: bigint, rounding: Rounding): bigint {
  const magnitude = nano < 0n ? -nano : nano;
  const rounded = rounding === "up" ? divideUp(magnitude, unit) : magnitude / unit;
  const capped = rounded > int64Max ? int64Max : rounded;
  return nano < 0n ? -capped : capped;
}

/** The sum, in the first one's format, or in the second's when the first is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano, format: a.nano === 0n ? b.format : a.format };
}

export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  return a.nano < b.nano ? -1 : a.nano > b.nano ? 1 : 0;
}

/** The text that Kubernetes prints: the kept spelling, or else the canonical form. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.text !== undefined) return quantity.text;
  const { nano, format } = quantity;
  if (format !== "BinarySI") return formatDecimal(nano, format);
  const magnitude = nano < 0n ? -nano : nano;
  const decimal = magnitude < 1024n * nanoPerUnit || nano % nanoPerUnit !== 0n;
  return decimal ? formatDecimal(nano, "DecimalSI") : formatBinary(nano / nanoPerUnit);
}

/** A whole number in the greatest unit that divides it. */
function formatBinary(amount: bigint): string {
  let step = 0;
  let rest = amount;
  while (step < binarySuffixes.length - 1 && rest % 1024n === 0n) {
    rest /= 1024n;
    step++;
  }
  return `${rest}${binarySuffixes[step] ?? ""}`;
}

/** A whole number with the greatest exponent that is a multiple of three. */
function formatDecimal(nano: bigint, format: "DecimalSI" | "DecimalExponent"): string {
  if (nano === 0n) return "0";
  const digits = nano.toString();
  const zeros = digits.length - digits.replace(/0+$/, "").length;
  const steps = Math.floor(zeros / 3);
  const step = format === "DecimalSI" ? Math.min(steps, decimalSuffixes.length - 1) : steps;
  const mantissa = digits.slice(0, digits.length - 3 * step);
  if (format === "DecimalSI") return mantissa + (decimalSuffixes[step] ?? "");
  return step === 3 ? mantissa : `${mantissa}e${3 * step - 9}`;
}

/** The quantity's text in JSON or YAML, where a number may stand for it; undefined for anything else (null too). */
export function quantityText(json: unknown): string | undefined {
  if (typeof json === "string") return json.trim();
  return typeof json === "number" && Number.isFinite(json) ? String(json) : undefined;
}

const plainNumber = /^[0-9]{1,9}$/;
const plainAmount = /^([0-9]{1,6})(m|Ki|Mi|Gi)$/;
/** Of the suffixes of `plainAmount`, in units; `m` only counts for cpu. Six digits of Gi stay below 2^53. */
const binaryUnits: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/**
 * The integer that decisions calculate with: milli-CPU for `cpu`, bytes for memory, ephemeral-storage and hugepages,
 * whole units for everything else; undefined for an invalid text. Round requests up and what there is down; negative
 * amounts round away from zero and to zero. Amounts beyond ±(2^53−1) become ±(2^53−1): no machine has or fits them.
 */
export function quantityToInteger(resourceName: string, text: string, rounding: Rounding): number | undefined {
  const cpu = resourceName === "cpu";
  if (plainNumber.test(text)) return cpu ? Number(text) * 1000 : Number(text);
  const plain = plainAmount.exec(text);
  if (plain !== null) {
    const [, digits = "", suffix = ""] = plain;
    if (suffix === "m" && cpu) return Number(digits);
    const unit = binaryUnits[suffix];
    if (unit !== undefined && !cpu) return Number(digits) * unit;
  }
  const quantity = parseQuantity(text);
  if (quantity === undefined) return undefined;
  const integer = Number(scaled(quantity.nano, cpu ? nanoPerMilli : nanoPerUnit, rounding));
  return Math.min(Math.max(integer, -Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

/** The other way: canonical text of an integer in the resource's unit (3500 milli-CPU are `3500m`, 2^32 bytes `4Gi`). */
export function integerToQuantity(resourceName: string, integer: number): string {
  const cpu = resourceName === "cpu";
  const text = isUsual(integer) ? usualText(integer, cpu, isBytes(resourceName)) : undefined;
  if (text !== undefined) return text;
  const amount = BigInt(integer);
  if (cpu) return formatQuantity({ nano: amount * nanoPerMilli, format: "DecimalSI" });
  return formatQuantity({ nano: amount * nanoPerUnit, format: isBytes(resourceName) ? "BinarySI" : "DecimalSI" });
}

function isUsual(integer: number): boolean {
  return integer > 0 && Number.isSafeInteger(integer);
}

/** Of most amounts; without BigInt, since each claim and its events name several. Undefined: it takes more than a look. */
function usualText(integer: number, cpu: boolean, bytes: boolean): string | undefined {
  if (cpu) {
    if (integer >= 1_000_000) return undefined;
    return integer % 1000 === 0 ? String(integer / 1000) : `${integer}m`;
  }
  if (!bytes) return integer % 1000 === 0 ? undefined : String(integer);
  if (integer < 1024) return undefined;
  let [rest, step] = [integer, 0];
  for (; step < binarySuffixes.length - 1 && rest % 1024 === 0; step++) rest /= 1024;
  return `${rest}${binarySuffixes[step] ?? ""}`;
}

function isBytes(resourceName: string): boolean {
  return resourceName === "memory" || resourceName === "ephemeral-storage" || resourceName.startsWith("hugepages-");
}
