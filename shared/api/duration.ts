/**
 * Durations as Go writes them (`1h30m`, `1.5h`, `-5m`). Karpenter counterpart: time.ParseDuration and its own
 * NillableDuration, whose "Never" stands for no limit. It differs: amounts are milliseconds, with fractions for µs and ns.
 */

const nanosPerUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  "\u00b5s": 1_000n,
  "\u03bcs": 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
const nanosPerMs = 1_000_000n;
/** Longest text that is read; Go's own longest form has about 30 characters. */
const maxTextLength = 128;

const whole = /^[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[a-z\u00b5\u03bc]+)+$/;
const part = /([0-9]*)(?:\.([0-9]*))?([a-z\u00b5\u03bc]+)/g;

/** Milliseconds, or undefined for text that is no duration or beyond ±292 years. A bare `0` is a duration; a bare `5` is not. */
export function parseDuration(text: string): number | undefined {
  const nanos = parseNanos(text);
  return nanos === undefined ? undefined : Number(nanos / nanosPerMs) + Number(nanos % nanosPerMs) / Number(nanosPerMs);
}

/** Like parseDuration, in nanoseconds: Go's own unit, in which durations are hashed. */
export function parseNanos(text: string): bigint | undefined {
  if (/^[+-]?0$/.test(text)) return 0n;
  if (text.length > maxTextLength || !whole.test(text)) return undefined;
  let nanos = 0n;
  for (const [, digits = "", decimals = "", unitName = ""] of text.matchAll(part)) {
    const unit = Object.hasOwn(nanosPerUnit, unitName) ? nanosPerUnit[unitName] : undefined;
    if (unit === undefined) return undefined;
    nanos += (BigInt(digits + decimals) * unit) / 10n ** BigInt(decimals.length);
  }
  const signed = text.startsWith("-") ? -nanos : nanos;
  return BigInt.asIntN(64, signed) === signed ? signed : undefined;
}

/** Like parseDuration; `Never` is a value of its own. */
export function parseNillableDuration(text: string): number | "Never" | undefined {
  return text === "Never" ? "Never" : parseDuration(text);
}

/** Go's form: `1h30m0s`, `1.5s`, `100ms`, `0s`. Exact to the nanosecond below 99 days, to the millisecond always. */
export function formatDuration(ms: number): string {
  const size = Math.abs(ms);
  const wholeMs = Math.floor(size);
  const nanos = BigInt(wholeMs) * nanosPerMs + BigInt(Math.round((size - wholeMs) * Number(nanosPerMs)));
  if (nanos === 0n) return "0s";
  const sign = ms < 0 ? "-" : "";
  if (nanos < 1_000n) return `${sign}${nanos}ns`;
  if (nanos < 1_000_000n) return `${sign}${decimal(nanos, 3)}\u00b5s`;
  if (nanos < 1_000_000_000n) return `${sign}${decimal(nanos, 6)}ms`;
  const minutes = nanos / 60_000_000_000n;
  const seconds = `${decimal(nanos % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  if (minutes < 60n) return `${sign}${minutes}m${seconds}`;
  return `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `amount` / 10^places without trailing zeros. */
function decimal(amount: bigint, places: number): string {
  const digits = amount.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  const integer = digits.slice(0, -places);
  return fraction === "" ? integer : `${integer}.${fraction}`;
}
