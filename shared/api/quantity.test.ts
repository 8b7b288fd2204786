import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  integerToQuantity,
  milliValue,
  parseQuantity,
  type Quantity,
  quantityText,
  quantityToInteger,
  value,
} from "./quantity.ts";

function parsed(text: string): Quantity {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new Error(`${text} is no quantity`);
  return quantity;
}

const int64Max = 2n ** 63n - 1n;

/** Made with Go's apimachinery: text, what String() prints, Value(), MilliValue(). */
const golden: readonly (readonly [string, string, bigint, bigint])[] = [
  ["1e3", "1e3", 1000n, 1_000_000n],
  ["100m", "100m", 1n, 100n],
  ["1Ki", "1Ki", 1024n, 1_024_000n],
  ["0.5Gi", "512Mi", 536_870_912n, 536_870_912_000n],
  ["1.5e-3", "1500e-6", 1n, 2n],
  ["-1", "-1", -1n, -1000n],
  ["-500m", "-500m", -1n, -500n],
  // Go's MilliValue overflows to 0 here, and to -1000 for 16384Pi; ours saturates.
  ["1E", "1E", 10n ** 18n, int64Max],
  ["1E3", "1E3", 1000n, 1_000_000n],
  ["1.1Gi", "1181116006400m", 1_181_116_007n, 1_181_116_006_400n],
  ["1n", "1n", 1n, 1n],
  ["1.", "1.", 1n, 1000n],
  [".5", "500m", 1n, 500n],
  ["16384Pi", "9223372036854775807", int64Max, int64Max],
  ["0.0000000001", "1n", 1n, 1n],
  ["+2", "+2", 2n, 2000n],
  ["1024Mi", "1Gi", 1_073_741_824n, 1_073_741_824_000n],
  ["1500m", "1500m", 2n, 1500n],
  ["0.1", "100m", 1n, 100n],
  ["1e-9", "1e-9", 1n, 1n],
  ["1.5Gi", "1536Mi", 1_610_612_736n, 1_610_612_736_000n],
  ["1000Ki", "1000Ki", 1_024_000n, 1_024_000_000n],
  ["12e6", "12e6", 12_000_000n, 12_000_000_000n],
  ["644245094400m", "644245094400m", 644_245_095n, 644_245_094_400n],
  ["129e6", "129e6", 129_000_000n, 129_000_000_000n],
  ["5.", "5.", 5n, 5000n],
  ["+1", "+1", 1n, 1000n],
  ["1.5m", "1500u", 1n, 2n],
  ["-1Gi", "-1Gi", -1_073_741_824n, -1_073_741_824_000n],
  ["9007199254740993", "9007199254740993", 9_007_199_254_740_993n, 9_007_199_254_740_993_000n],
  ["m", "0", 0n, 0n],
  ["Gi", "0", 0n, 0n],
  ["E", "0", 0n, 0n],
  ["-", "0", 0n, 0n],
  ["1000000", "1M", 1_000_000n, 1_000_000_000n],
  ["007", "007", 7n, 7000n],
  ["1.500", "1.500", 2n, 1500n],
  ["1.000", "1", 1n, 1000n],
  ["1.G", "1.G", 10n ** 9n, 10n ** 12n],
  ["1e+3", "1e+3", 1000n, 1_000_000n],
  ["1e1", "10", 10n, 10_000n],
  ["1e-1", "100e-3", 1n, 100n],
  ["2.5k", "2500", 2500n, 2_500_000n],
  ["0.1Ki", "102400m", 103n, 102_400n],
  ["1.5Ki", "1536", 1536n, 1_536_000n],
  ["1.23456789012345678", "1234567891n", 2n, 1235n],
  ["8Ei", "9223372036854775807", int64Max, int64Max],
  ["99999999999999999999", "99999999999999999999", int64Max, int64Max],
  ["-99999999999999999999", "-99999999999999999999", -int64Max, -int64Max],
];

const invalid = [
  ..."  1|1K||1Mi1|0x10| 1 |100ki|1_000|Infinity|NaN|1e3m|1e3Ki|1 Gi|1e|12e6Mi|1..2|1-|1e-|1e+|1i|1ee3|e|Pi|Ei".split(
    "|",
  ),
  // Valid in Go, which then takes minutes over the arithmetic.
  "1e2147483648",
  "1e401",
  "9".repeat(257),
];

describe("a quantity", () => {
  test.each(golden)("%s prints as %s with Value %s and MilliValue %s, as in Go", (text, printed, units, millis) => {
    const quantity = parsed(text);
    expect([formatQuantity(quantity), value(quantity), milliValue(quantity)]).toEqual([printed, units, millis]);
  });

  test.each(invalid)("%j is no quantity", (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  test("a tiny exponent rounds up to one nano, however small", () => {
    expect(formatQuantity(parsed("1e-1000000"))).toBe("1e-9");
    expect(formatQuantity(parsed("-0.5n"))).toBe("-1n");
  });

  // Go prints 1 here, for want of a suffix.
  test("an amount beyond the greatest suffix keeps its digits", () => {
    expect(formatQuantity(parsed("1000E"))).toBe("1000E");
  });

  test("a kept spelling is gone after arithmetic", () => {
    const zero = parsed("0");
    const sums = ["+2", "1E3", "007", "1e0", "+4Gi"].map((text) => formatQuantity(addQuantities(parsed(text), zero)));
    expect(sums).toEqual(["2", "1e3", "7", "1", "4Gi"]);
  });

  test("a sum takes the first one's format, or the second's when the first is zero", () => {
    const sum = (a: string, b: string): string => formatQuantity(addQuantities(parsed(a), parsed(b)));
    expect(sum("1Gi", "1024M")).toBe("2048576Ki");
    expect(sum("1024M", "1Gi")).toBe("2097741824");
    expect(sum("0", "512Mi")).toBe("512Mi");
    expect(sum("1Ki", "-1")).toBe("1023");
    expect(sum("8Ei", "1")).toBe("8Ei");
  });

  test("amounts compare by size, not by spelling", () => {
    expect(compareQuantities(parsed("1024Mi"), parsed("1Gi"))).toBe(0);
    expect(compareQuantities(parsed("999m"), parsed("1"))).toBe(-1);
    expect(compareQuantities(parsed("1k"), parsed("999"))).toBe(1);
  });

  test("what is printed reads back as the same amount", () => {
    const suffix = fc.constantFrom("n", "u", "m", "", "k", "M", "G", "Ki", "Mi", "Gi", "Ti", "e3", "E-6");
    const decimals = fc.option(fc.stringMatching(/^[0-9]{1,12}$/), { nil: undefined });
    fc.assert(
      fc.property(fc.constantFrom("", "-", "+"), fc.nat(), decimals, suffix, (sign, whole, fraction, unit) => {
        const text = `${sign}${whole}${fraction === undefined ? "" : `.${fraction}`}${unit}`;
        const quantity = parsed(text);
        expect(parsed(formatQuantity(quantity)).nano).toBe(quantity.nano);
        expect(parsed(formatQuantity({ nano: quantity.nano, format: quantity.format })).nano).toBe(quantity.nano);
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});

describe("the integer of a resource", () => {
  test.each([
    ["cpu", "500m", 500],
    ["cpu", "2", 2000],
    ["cpu", ".5", 500],
    ["cpu", "1.5m", 2],
    ["cpu", "1k", 1_000_000],
    ["cpu", "1Ki", 1_024_000],
    ["cpu", "0", 0],
    ["memory", "4Gi", 4_294_967_296],
    ["memory", "1.1Gi", 1_181_116_007],
    ["memory", "128974848", 128_974_848],
    ["memory", "129e6", 129_000_000],
    ["memory", "100m", 1],
    ["ephemeral-storage", "20Gi", 21_474_836_480],
    ["hugepages-2Mi", "2Mi", 2_097_152],
    ["nvidia.com/gpu", "1", 1],
    ["pods", "110", 110],
    ["memory", "999999Gi", 999_999 * 2 ** 30],
  ])("%s of %s is %d, rounded up", (resource, text, integer) => {
    expect(quantityToInteger(resource, text, "up")).toBe(integer);
  });

  test("what there is rounds down", () => {
    expect(quantityToInteger("cpu", "1.5m", "down")).toBe(1);
    expect(quantityToInteger("memory", "1.1Gi", "down")).toBe(1_181_116_006);
    expect(quantityToInteger("pods", "1500m", "down")).toBe(1);
  });

  test("invalid text has no integer", () => {
    expect(["", "1K", "x", "1e", "500 m"].map((text) => quantityToInteger("cpu", text, "up"))).toEqual(
      Array(5).fill(undefined),
    );
  });

  test("amounts beyond 2^53 become the greatest safe integer", () => {
    expect(quantityToInteger("memory", "8Ei", "down")).toBe(Number.MAX_SAFE_INTEGER);
    expect(quantityToInteger("memory", "9007199254740993", "up")).toBe(Number.MAX_SAFE_INTEGER);
    expect(quantityToInteger("cpu", "-1E", "up")).toBe(-Number.MAX_SAFE_INTEGER);
  });

  test("the short way for usual forms gives the exact parser's answer", () => {
    const digits = fc.stringMatching(/^[0-9]{1,7}$/);
    const unit = fc.constantFrom("", "m", "Ki", "Mi", "Gi");
    fc.assert(
      fc.property(fc.constantFrom("cpu", "memory", "pods"), digits, unit, (resource, amount, suffix) => {
        const exact = parsed(amount + suffix);
        const expected = Number(resource === "cpu" ? milliValue(exact) : value(exact));
        expect(quantityToInteger(resource, amount + suffix, "up")).toBe(Math.min(expected, Number.MAX_SAFE_INTEGER));
      }),
      { seed: 2, numRuns: 500 },
    );
  });

  test.each([
    ["cpu", 3500, "3500m"],
    ["cpu", 4000, "4"],
    ["cpu", 0, "0"],
    ["memory", 4_294_967_296, "4Gi"],
    ["memory", 536_870_912, "512Mi"],
    ["memory", 1_500_000_001, "1500000001"],
    ["memory", -1024, "-1Ki"],
    ["hugepages-1Gi", 2 ** 31, "2Gi"],
    ["pods", 110, "110"],
    ["nvidia.com/gpu", 1000, "1k"],
  ])("%s: %d prints as %s", (resource, integer, text) => {
    expect(integerToQuantity(resource, integer)).toBe(text);
  });
});

test("an integer prints in the canonical form of its quantity, however large it is", () => {
  const amounts = fc.oneof(
    fc.maxSafeInteger(),
    fc.nat(9).chain((power) => fc.nat(4096).map((n) => n * 10 ** power)),
    fc.nat(4).chain((step) => fc.nat(2048).map((n) => n * 1024 ** step)),
  );
  fc.assert(
    fc.property(amounts, (integer) => {
      const units = BigInt(integer) * 1_000_000_000n;
      const canonical = (nano: bigint, format: Quantity["format"]): string => formatQuantity({ nano, format });
      expect(integerToQuantity("cpu", integer)).toBe(canonical(units / 1000n, "DecimalSI"));
      expect(integerToQuantity("memory", integer)).toBe(canonical(units, "BinarySI"));
      expect(integerToQuantity("pods", integer)).toBe(canonical(units, "DecimalSI"));
    }),
    { numRuns: 500 },
  );
});

describe("a quantity in JSON", () => {
  test("may be a number", () => {
    expect([2, 0.5, 1e21, 1e-7].map(quantityText)).toEqual(["2", "0.5", "1e+21", "1e-7"]);
    expect([2, 0.5, 1e21, 1e-7].map((json) => parseQuantity(quantityText(json) ?? "") !== undefined)).not.toContain(
      false,
    );
  });

  test("may have spaces around it", () => {
    expect(quantityText(" 500m ")).toBe("500m");
  });

  test.each([[null], [true], [{}], [[]], [Number.NaN], [undefined]])("is not %j", (json) => {
    expect(quantityText(json)).toBeUndefined();
  });
});
