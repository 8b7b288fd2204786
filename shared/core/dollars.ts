/** Karpenter counterpart: none; its messages name no prices, and where they do, without a unit. */

/** To a hundredth of a cent, as cloud prices are written. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(4)}`;
}
