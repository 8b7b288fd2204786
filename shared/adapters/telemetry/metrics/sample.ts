/** One number of a metric, as it changed or as it is. Names and labels are Karpenter's where it has them. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /**
   * Counters: by how much it grew; gauges: what it is; histograms: one observation. Seconds, bytes, cores, US dollars an
   * hour, as Karpenter's own.
   */
  readonly value: number;
}
