import type { BenchRow } from "./result.ts";
import { beside, ms, nothing, ratio, table, times } from "./table.ts";

type Column = readonly [string, (row: BenchRow) => string];

const timeColumns: readonly Column[] = [
  ["fresh ms", ({ ours }) => ms(ours.coldMs)],
  ["warm ms", ({ ours }) => ms(ours.warmMs)],
  ["¼ CPU fresh", ({ quarter }) => ms(quarter?.coldMs)],
  ["¼ CPU warm", ({ quarter }) => ms(quarter?.warmMs)],
  ["Karpenter ms", ({ peer }) => ms(peer?.ms)],
  ["× fresh", ({ ours, peer }) => times(peer?.ms, ours.coldMs)],
  ["× warm", ({ ours, peer }) => times(peer?.ms, ours.warmMs)],
];

const planColumns: readonly Column[] = [
  ["claims", ({ ours, peer }) => beside(`${ours.claims}`, peer && `${peer.claims}`)],
  ["unplaced", ({ ours, peer }) => beside(`${ours.unplaced.length}`, peer && `${peer.unplaced}`)],
  ["types", ({ ours, peer }) => beside(ours.types.toFixed(1), peer?.types.toFixed(1))],
  ["zones", ({ ours, peer }) => beside(ours.zones.toFixed(1), peer?.zones.toFixed(1))],
  ["preferences met", wishes],
];

const costColumns: readonly Column[] = [
  ["$/h", ({ ours }) => ours.pricePerHour.toFixed(2)],
  ["/Karpenter", ({ peer }) => (peer === undefined ? nothing : peer.priceRatio.toFixed(3))],
  ["/bound", ({ ours, boundPerHour }) => ratio(ours.pricePerHour, boundPerHour)],
  ["no search /bound", ({ ours, boundPerHour }) => ratio(ours.plain?.pricePerHour, boundPerHour)],
  ["ms", ({ ours }) => ms(ours.plain?.ms)],
  ["¼ CPU ms", ({ quarter }) => ms(quarter?.plain?.ms)],
  ["long search /bound", ({ ours, boundPerHour }) => ratio(ours.long?.pricePerHour, boundPerHour)],
  ["ms", ({ ours }) => ms(ours.long?.ms)],
];

const apartColumns: readonly Column[] = [
  ["imports ms", ({ ours }) => ms(ours.importMs)],
  ["parsing ms", ({ ours }) => ms(ours.parseMs)],
  ["¼ CPU imports", ({ quarter }) => ms(quarter?.importMs)],
  ["¼ CPU parsing", ({ quarter }) => ms(quarter?.parseMs)],
  ["RSS fresh MB", ({ ours }) => ours.freshRssMB.toFixed(0)],
  ["RSS peak MB", ({ ours, peer }) => beside(ours.peakRssMB.toFixed(0), peer?.peakRssMB.toFixed(0))],
  ["warm runs", ({ ours }) => `${ours.warmRuns}`],
  ["Karpenter's runs", ({ peer }) => (peer === undefined ? nothing : `${peer.runs}, ${peer.kept} kept`)],
];

/** A line a workload in each; "-" where something was not measured. */
export function benchTables(rows: readonly BenchRow[]): string {
  return [
    tableOf("time", timeColumns, rows),
    tableOf("plan (Karpenter's)", planColumns, rows),
    tableOf("cost", costColumns, rows),
    tableOf("apart", apartColumns, rows),
  ].join("\n\n");
}

function tableOf(name: string, columns: readonly Column[], rows: readonly BenchRow[]): string {
  const head = [name, ...columns.map(([title]) => title)];
  return table(
    head,
    rows.map((row) => [row.workload, ...columns.map(([, cellOf]) => cellOf(row))]),
  );
}

function wishes({ ours, peer }: BenchRow): string {
  const share = (of: typeof ours.wishes): string | undefined =>
    of === undefined ? undefined : `${((100 * of.met) / of.stated).toFixed(1)} %`;
  return beside(share(ours.wishes) ?? nothing, share(peer?.wishes));
}

/** One line; undefined where it was not measured. */
export function orderLine(rows: readonly BenchRow[]): string | undefined {
  const asked = rows.filter(({ ours }) => ours.sameShuffled !== undefined);
  if (asked.length === 0) return undefined;
  const differing = asked.filter(({ ours }) => ours.sameShuffled === false).map(({ workload }) => workload);
  const said =
    differing.length === 0 ? "the same, byte for byte, for each workload" : `ANOTHER for ${differing.join(", ")}`;
  return `the answer to the same objects in another order: ${said}`;
}
