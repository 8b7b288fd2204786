import { metricTable } from "./metric-table.ts";
import type { Sample } from "./sample.ts";

/** One line of Prometheus: a name, labels and what they stand at. */
export interface Series {
  /** A histogram's or summary's with `_bucket`, `_sum` or `_count` at its end. */
  readonly name: string;
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** It was not there at the last look: whoever computes a rate must be told that it began at 0. */
  readonly isNew: boolean;
}

interface Kept {
  readonly metric: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  value: number;
  isNew: boolean;
}

/** Series kept at most; an object each for gauges, and they are forgotten at each look. */
const seriesMax = 100_000;

/** Karpenter: the objectives of its summaries. */
const quantiles = [0, 0.5, 0.9, 0.99, 1];
/** Of a summary, the last observations of a series; Karpenter's are those of the last ten minutes. */
const observationsMax = 500;

/** Adds counters and observations up, and holds the gauges of the last look. Samples of unknown metrics are dropped. */
export class SeriesBook {
  readonly #counted = new Map<string, Kept>();
  #gauges = new Map<string, Kept>();
  readonly #observed = new Map<string, number[]>();

  /** All samples of one look: gauges that it does not name are gone. */
  add(samples: readonly Sample[]): void {
    this.#gauges = new Map();
    for (const series of this.#counted.values()) series.isNew = false;
    for (const { name, labels, value } of samples) {
      const metric = Object.hasOwn(metricTable, name) ? metricTable[name] : undefined;
      if (metric === undefined) continue;
      if (metric.type === "gauge") this.#put(this.#gauges, name, name, labels, () => value);
      else if (metric.type === "counter") this.#count(name, name, labels, value);
      else if (metric.type === "summary") this.#summarise(name, labels, value);
      else this.#observe(name, labels, value, metric.buckets ?? []);
    }
  }

  /** By metric, then by labels. */
  series(): readonly Series[] {
    const rows = [...this.#counted, ...this.#gauges].sort(([a], [b]) => (a < b ? -1 : 1));
    return rows.map(([, { metric, name, labels, value, isNew }]) => ({ metric, name, labels, value, isNew }));
  }

  #observe(name: string, labels: Sample["labels"], value: number, buckets: readonly number[]): void {
    for (const bound of buckets) {
      this.#count(name, `${name}_bucket`, { ...labels, le: String(bound) }, value <= bound ? 1 : 0);
    }
    this.#count(name, `${name}_bucket`, { ...labels, le: "+Inf" }, 1);
    this.#count(name, `${name}_sum`, labels, value);
    this.#count(name, `${name}_count`, labels, 1);
  }

  #summarise(name: string, labels: Sample["labels"], value: number): void {
    const key = JSON.stringify([name, Object.entries(labels).sort()]);
    const last = [...(this.#observed.get(key) ?? []), value].slice(-observationsMax);
    this.#observed.set(key, last);
    const sorted = last.toSorted((a, b) => a - b);
    for (const quantile of quantiles) {
      const at = sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)] ?? value;
      this.#put(this.#counted, name, name, { ...labels, quantile: String(quantile) }, () => at);
    }
    this.#count(name, `${name}_sum`, labels, value);
    this.#count(name, `${name}_count`, labels, 1);
  }

  #count(metric: string, name: string, labels: Sample["labels"], by: number): void {
    this.#put(this.#counted, metric, name, labels, (before) => before + by);
  }

  #put(
    into: Map<string, Kept>,
    metric: string,
    name: string,
    labels: Sample["labels"],
    next: (before: number) => number,
  ): void {
    const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify([metric, name, sorted]);
    const kept = into.get(key);
    if (kept !== undefined) kept.value = next(kept.value);
    else if (into.size < seriesMax) {
      into.set(key, { metric, name, labels: Object.fromEntries(sorted), value: next(0), isNew: true });
    }
  }
}
