/**
 * The best fractional filling of one machine: maximise Σ worth·y over y ≥ 0 with Σ takes·y ≤ room in each row. A small
 * dense simplex: rooms are not negative, so the empty filling is a start.
 */

export interface Filling {
  readonly worth: number;
  /** By item. */
  readonly amounts: Float64Array;
}

const smallest = 1e-9;

/** `takes[row][item]`. Undefined when the filling has no bound. */
export function bestFilling(
  worth: Float64Array,
  takes: readonly Float64Array[],
  room: Float64Array,
): Filling | undefined {
  const [rows, items] = [takes.length, worth.length];
  const width = items + rows + 1;
  const table = takes.map((row, r) => {
    const line = new Float64Array(width);
    line.set(row);
    line[items + r] = 1;
    line[width - 1] = room[r] ?? 0;
    return line;
  });
  const gain = new Float64Array(width);
  gain.set(worth);
  const basis = Array.from({ length: rows }, (_, r) => items + r);
  // Each pivot moves to a better corner or, on a tie, on along Bland's order; the bound is against rounding.
  for (let pivots = 0; pivots < 50 * (rows + items); pivots++) {
    const entering = pivots < 4 * (rows + items) ? largest(gain, width - 1) : first(gain, width - 1);
    if (entering < 0) return filling(table, basis, worth, width);
    const leaving = tightest(table, basis, entering, width);
    if (leaving < 0) return undefined;
    pivot(table, gain, leaving, entering);
    basis[leaving] = entering;
  }
  return filling(table, basis, worth, width);
}

function filling(
  table: readonly Float64Array[],
  basis: readonly number[],
  worth: Float64Array,
  width: number,
): Filling {
  const amounts = new Float64Array(worth.length);
  basis.forEach((item, row) => {
    if (item < worth.length) amounts[item] = Math.max(0, table[row]?.[width - 1] ?? 0);
  });
  return { amounts, worth: amounts.reduce((sum, amount, i) => sum + amount * (worth[i] ?? 0), 0) };
}

function largest(gain: Float64Array, count: number): number {
  let best = -1;
  for (let i = 0; i < count; i++) {
    if ((gain[i] ?? 0) > Math.max(smallest, best < 0 ? 0 : (gain[best] ?? 0))) best = i;
  }
  return best;
}

function first(gain: Float64Array, count: number): number {
  for (let i = 0; i < count; i++) if ((gain[i] ?? 0) > smallest) return i;
  return -1;
}

function tightest(table: readonly Float64Array[], basis: readonly number[], entering: number, width: number): number {
  let best = -1;
  let least = Number.POSITIVE_INFINITY;
  for (const [row, line] of table.entries()) {
    const step = line[entering] ?? 0;
    if (step <= smallest) continue;
    const ratio = (line[width - 1] ?? 0) / step;
    const tie = Math.abs(ratio - least) <= smallest && (basis[row] ?? 0) < (basis[best] ?? 0);
    if (ratio < least - smallest || tie) {
      best = row;
      least = ratio;
    }
  }
  return best;
}

function pivot(table: readonly Float64Array[], gain: Float64Array, row: number, column: number): void {
  const line = table[row];
  if (line === undefined) return;
  const divisor = line[column] ?? 1;
  for (let i = 0; i < line.length; i++) line[i] = (line[i] ?? 0) / divisor;
  for (const other of table) if (other !== line) subtract(other, line, column);
  subtract(gain, line, column);
}

function subtract(from: Float64Array, line: Float64Array, column: number): void {
  const factor = from[column] ?? 0;
  if (factor === 0) return;
  for (let i = 0; i < from.length; i++) from[i] = (from[i] ?? 0) - factor * (line[i] ?? 0);
}
