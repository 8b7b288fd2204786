/** Lines of equal columns: the first to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) => line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))))
    .map((line) => line.join("  ").trimEnd())
    .join("\n");
}

export const nothing = "-";

export function ms(value: number | undefined): string {
  return value === undefined ? nothing : value.toFixed(value < 100 ? 1 : 0);
}

/** How many times as long the other takes. */
export function times(otherMs: number | undefined, ownMs: number | undefined): string {
  return otherMs === undefined || ownMs === undefined ? nothing : (otherMs / ownMs).toFixed(0);
}

export function ratio(own: number | undefined, other: number | undefined): string {
  return own === undefined || other === undefined || other === 0 ? nothing : (own / other).toFixed(3);
}

/** Ours, Karpenter's in brackets. */
export function beside(own: string, others: string | undefined): string {
  return others === undefined ? own : `${own} (${others})`;
}
