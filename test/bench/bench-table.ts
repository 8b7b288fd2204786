import type { BenchRow } from "./result.ts";

const head = [
  "workload",
  "claims",
  "fresh ms",
  "warm ms",
  "¼ CPU fresh",
  "¼ CPU warm",
  "Karpenter ms",
  "× fresh",
  "× warm",
  "$/h",
  "/Karpenter",
  "/bound",
  "types",
  "zones",
  "unplaced",
  "RSS MB",
];

/** One line a workload; "-" where something was not measured. */
export function benchTable(rows: readonly BenchRow[]): string {
  const lines: (readonly string[])[] = [head];
  for (const { workload, ours, quarter, peer, boundPerHour } of rows) {
    const unplaced = `${ours.unplaced.length}${peer === undefined ? "" : ` (${peer.unplaced})`}`;
    lines.push([
      workload,
      String(ours.claims),
      ms(ours.coldMs),
      ms(ours.warmMs),
      ms(quarter?.coldMs),
      ms(quarter?.warmMs),
      ms(peer?.ms),
      times(peer?.ms, ours.coldMs),
      times(peer?.ms, ours.warmMs),
      ours.pricePerHour.toFixed(2),
      ratio(ours.pricePerHour, peer?.pricePerHour),
      ratio(ours.pricePerHour, boundPerHour),
      ours.types.toFixed(1),
      ours.zones.toFixed(1),
      unplaced,
      ours.peakRssMB.toFixed(0),
    ]);
  }
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map((line) => line.map((cell, column) => aligned(cell, widths[column] ?? 0, column)).join("  "))
    .join("\n");
}

/** Names to the left, numbers to the right. */
function aligned(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}

function ms(value: number | undefined): string {
  return value === undefined ? "-" : value.toFixed(value < 100 ? 1 : 0);
}

function times(peerMs: number | undefined, ownMs: number | undefined): string {
  return peerMs === undefined || ownMs === undefined ? "-" : (peerMs / ownMs).toFixed(0);
}

function ratio(own: number, other: number | undefined): string {
  return other === undefined || other === 0 ? "-" : (own / other).toFixed(3);
}
