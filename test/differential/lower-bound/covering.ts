/**
 * The cheapest fractional set of filled machines that holds all items: min Σ price·x, each item covered so often as it
 * is wanted. Solved by column generation: the basis holds filled machines, and the next one to enter is the filling worth
 * most at the items' current worths.
 *
 * Worths that no machine exceeds are a proof: wanted × worth is then at most what any set of machines costs. Worths at
 * any stage become such by division (Farley's bound), so the answer is a lower bound however early one stops.
 */
import { bestFilling } from "./packing.ts";

export interface Kind {
  /** Per machine; positive. */
  readonly price: number;
  readonly room: Float64Array;
  /** Items that may be put on it. */
  readonly holds: readonly boolean[];
}

/** A machine that is there already and costs nothing. */
export type Standing = Omit<Kind, "price">;

export interface Covering {
  /** How many of each item must be held. */
  readonly wanted: Float64Array;
  /** `takes[row][item]`: what an item takes of each row of a machine's room. */
  readonly takes: readonly Float64Array[];
  readonly kinds: readonly Kind[];
  /** What they can hold at the items' worths is taken off the bound. */
  readonly standing: readonly Standing[];
}

const closeEnough = 1e-6;
const mostRounds = 2_000;

interface Column {
  readonly price: number;
  readonly amounts: Float64Array;
}

export function lowerBound(covering: Covering, deadlineMs: number = Number.POSITIVE_INFINITY): number {
  const { wanted } = covering;
  const items = wanted.length;
  if (items === 0) return 0;
  const start = Array.from({ length: items }, (_, item) => startingColumn(covering, item));
  const basis: Column[] = [...start];
  const inverse = start.map((column, i) => unit(items, i, 1 / (column.amounts[i] ?? 1)));
  let best = 0;
  for (let round = 0; round < mostRounds && performance.now() < deadlineMs; round++) {
    const worths = worthsOf(basis, inverse, items);
    const surplus = mostNegative(worths);
    if (surplus >= 0) {
      const column: Column = { price: 0, amounts: unit(items, surplus, -1) };
      if (!enter(column, basis, inverse, wanted)) break;
      continue;
    }
    const { ratio, column } = mostWorth(worths, covering);
    best = Math.max(best, (dot(worths, wanted) - worthOfStanding(worths, covering)) / Math.max(1, ratio));
    if (ratio <= 1 + closeEnough || column === undefined) break;
    if (!enter(column, basis, inverse, wanted)) break;
  }
  return best;
}

/** For each item a machine filled with it alone, where it costs least; an item that only standing machines hold is free. */
function startingColumn({ wanted, takes, kinds }: Covering, item: number): Column {
  const fillings = kinds
    .filter(({ holds }) => holds[item] === true)
    .map(({ price, room }) => ({ price, most: mostOf(takes, room, item) }))
    .filter(({ most }) => most > 0 && Number.isFinite(most));
  const [first, ...rest] = fillings;
  if (first === undefined) return { price: 0, amounts: unit(wanted.length, item, 1) };
  const best = rest.reduce((a, b) => (b.price / b.most < a.price / a.most ? b : a), first);
  return { price: best.price, amounts: unit(wanted.length, item, best.most) };
}

function mostOf(takes: readonly Float64Array[], room: Float64Array, item: number): number {
  return takes.reduce((most, row, r) => {
    const each = row[item] ?? 0;
    return each > 0 ? Math.min(most, (room[r] ?? 0) / each) : most;
  }, Number.POSITIVE_INFINITY);
}

/** The filling of any kind that is worth most for its price. */
function mostWorth(
  worths: Float64Array,
  { takes, kinds }: Covering,
): { readonly ratio: number; readonly column: Column | undefined } {
  let ratio = 0;
  let column: Column | undefined;
  for (const { price, room, holds } of kinds) {
    const filling = bestFilling(heldWorths(worths, holds), takes, room);
    if (filling === undefined || filling.worth / price <= ratio) continue;
    ratio = filling.worth / price;
    column = { price, amounts: filling.amounts };
  }
  return { ratio, column };
}

function worthOfStanding(worths: Float64Array, { takes, standing }: Covering): number {
  return standing.reduce((sum, { room, holds }) => {
    return sum + (bestFilling(heldWorths(worths, holds), takes, room)?.worth ?? Number.POSITIVE_INFINITY);
  }, 0);
}

function heldWorths(worths: Float64Array, holds: readonly boolean[]): Float64Array {
  return worths.map((worth, i) => (holds[i] === true ? worth : 0));
}

/** prices of the basis × inverse */
function worthsOf(basis: readonly Column[], inverse: readonly Float64Array[], items: number): Float64Array {
  const worths = new Float64Array(items);
  for (const [row, { price }] of basis.entries()) {
    if (price === 0) continue;
    for (let i = 0; i < items; i++) worths[i] = (worths[i] ?? 0) + price * (inverse[row]?.[i] ?? 0);
  }
  return worths;
}

function mostNegative(worths: Float64Array): number {
  let best = -1;
  for (let i = 0; i < worths.length; i++) {
    if ((worths[i] ?? 0) < Math.min(-closeEnough, best < 0 ? 0 : (worths[best] ?? 0))) best = i;
  }
  return best;
}

/** Takes the column into the basis in place of the one that runs out first; false when none does. */
function enter(column: Column, basis: Column[], inverse: readonly Float64Array[], wanted: Float64Array): boolean {
  const direction = inverse.map((row) => dot(row, column.amounts));
  const leaving = firstToRunOut(
    direction,
    inverse.map((row) => dot(row, wanted)),
  );
  const pivotRow = inverse[leaving];
  if (pivotRow === undefined) return false;
  const divisor = direction[leaving] ?? 1;
  for (let i = 0; i < pivotRow.length; i++) pivotRow[i] = (pivotRow[i] ?? 0) / divisor;
  for (const [row, line] of inverse.entries()) {
    const factor = direction[row] ?? 0;
    if (row === leaving || factor === 0) continue;
    for (let i = 0; i < line.length; i++) line[i] = (line[i] ?? 0) - factor * (pivotRow[i] ?? 0);
  }
  basis[leaving] = column;
  return true;
}

function firstToRunOut(direction: readonly number[], level: readonly number[]): number {
  let leaving = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [row, step] of direction.entries()) {
    const ratio = step > 1e-9 ? Math.max(0, level[row] ?? 0) / step : Number.POSITIVE_INFINITY;
    if (ratio >= least) continue;
    least = ratio;
    leaving = row;
  }
  return leaving;
}

function unit(size: number, at: number, value: number): Float64Array {
  const vector = new Float64Array(size);
  vector[at] = value;
  return vector;
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
