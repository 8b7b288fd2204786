export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";

/** What follows a quantity's digits, as a power: `Mi` is 2^20, `m` is 10^-3, `e4` is 10^4. */
export interface QuantitySuffix {
  readonly base: 2 | 10;
  readonly exponent: number;
  readonly format: QuantityFormat;
}

/** In steps of 10^3 from 10^-9. */
export const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"] as const;
/** In steps of 2^10 from 1. */
export const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;

const known: ReadonlyMap<string, QuantitySuffix> = new Map(
  [
    ...decimalSuffixes.map((text, i) => ({ text, base: 10, exponent: 3 * i - 9, format: "DecimalSI" }) as const),
    ...binarySuffixes
      .slice(1)
      .map((text, i) => ({ text, base: 2, exponent: 10 * (i + 1), format: "BinarySI" }) as const),
  ].map((suffix) => [suffix.text, suffix]),
);

/** Beyond 10^400 nothing is a quantity of anything; the bound keeps the arithmetic short (Kubernetes has none). */
const maxExponent = 400n;
/** With fewer decimals than this every readable amount rounds up to one nano all the same. */
const minExponent = -600n;
const int64Min = -(2n ** 63n);

/** Undefined for text that is no suffix. */
export function readSuffix(text: string): QuantitySuffix | undefined {
  const suffix = known.get(text);
  if (suffix !== undefined) return suffix;
  if (!/^[eE][+-]?[0-9]+$/.test(text)) return undefined;
  const exponent = BigInt(text.slice(1).replace("+", ""));
  if (exponent > maxExponent || exponent < int64Min) return undefined;
  return { base: 10, exponent: Number(exponent < minExponent ? minExponent : exponent), format: "DecimalExponent" };
}
