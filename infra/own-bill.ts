/** List prices of us-east-1 in US dollars, November 2026, without any free tier. */
export const price = {
  lambdaGBSecondArm: 0.0000133334,
  lambdaRequest: 0.2e-6,
  scheduledInvocation: 1e-6,
  queueRequest: 0.4e-6,
  logGB: 0.5,
  customMetric: 0.3,
  alarm: 0.1,
  dashboard: 3,
  s3Put: 0.005e-3,
  s3Get: 0.0004e-3,
} as const;

const hoursPerMonth = 730;
const secondsPerMonth = hoursPerMonth * 3_600;
/** Lambda: this much memory has one CPU. */
const memoryMBPerCpu = 1_769;
/** Lambda polls a queue with five long polls of 20 s at a time. */
const pollsPerSecond = 5 / 20;
/** Lambda's own lines, one of ours with the metrics, and one for each pool and capacity type, bytes. */
const logBytesPerInvocation = 900;
/** A further tick that tries something again: the metrics once more, and what it tried. */
const logBytesPerTick = 900;
/** Written in every tick; the others only when they are not 0, and an hour without a value is free. */
const quietMetrics = 3;
/** CloudWatch counts the metrics of an alarm: ten alarms, of which those of errors and of the catalogue have two. */
const alarms = 12;
/** A warm function looks at the catalogue every five minutes. */
const catalogueReadsPerMonth = secondsPerMonth / 300;

/** What was measured of a function: CPU time, and the time that it waited for others, ms. */
export interface Measured {
  readonly cpuMs: number;
  readonly waitMs: number;
}

export interface BillInput {
  readonly reaction: "minute" | "seconds";
  readonly memoryMB: number;
  /** A warm tick that finds nothing to do. */
  readonly quietTick: Measured;
  /** The catalogue with all prices, cold. */
  readonly catalogue: Measured;
  /** Seconds of each minute for which something keeps the loop awake beyond its tick; a quiet cluster's: 0. */
  readonly awakeSecondsPerMinute?: number;
  /** How many ticks a minute has; a quiet cluster's: 1. */
  readonly ticksPerMinute?: number;
  /** Series that are written beside the three of every tick; a quiet cluster's: 0. */
  readonly furtherSeries?: number;
  /** CloudWatch gives three to each account for nothing; this is the price of one beyond them. */
  readonly dashboard?: boolean;
}

/** US dollars a month, by part. */
export type Bill = Readonly<
  Record<"functions" | "schedule" | "queue" | "logs" | "metrics" | "alarms" | "dashboard" | "storage", number>
>;

/** Less CPU makes the same work take longer; waiting takes as long as it takes. */
export function durationMs({ cpuMs, waitMs }: Measured, memoryMB: number): number {
  return cpuMs / Math.min(1, memoryMB / memoryMBPerCpu) + waitMs;
}

export function ownBill(input: BillInput): Bill {
  const { reaction, memoryMB, quietTick, catalogue, awakeSecondsPerMinute = 0, ticksPerMinute = 1 } = input;
  const invocations = reaction === "minute" ? secondsPerMonth / 60 : secondsPerMonth / 150;
  const tickSeconds = (ticksPerMinute * durationMs(quietTick, memoryMB)) / 1_000;
  const awakeSeconds =
    reaction === "seconds" ? secondsPerMonth : invocations * Math.min(60, tickSeconds + awakeSecondsPerMinute);
  // Twice a day all of it, each hour the spot prices: about a third of the work.
  const catalogueRuns = (2 / 24 + 1 / 3) * hoursPerMonth;
  const catalogueSeconds = (catalogueRuns * durationMs(catalogue, memoryMB)) / 1_000;
  const gigabytes = memoryMB / 1_024;
  const requests = secondsPerMonth / 60 + hoursPerMonth + (2 / 24) * hoursPerMonth;
  const furtherTicks = (ticksPerMinute - 1) * (secondsPerMonth / 60);
  return {
    functions: (awakeSeconds + catalogueSeconds) * gigabytes * price.lambdaGBSecondArm + requests * price.lambdaRequest,
    schedule: requests * price.scheduledInvocation,
    queue: secondsPerMonth * pollsPerSecond * price.queueRequest,
    logs: ((requests * logBytesPerInvocation + furtherTicks * logBytesPerTick) / 1e9) * price.logGB,
    metrics: (quietMetrics + (input.furtherSeries ?? 0)) * price.customMetric,
    alarms: alarms * price.alarm,
    dashboard: input.dashboard === true ? price.dashboard : 0,
    storage: catalogueReadsPerMonth * price.s3Get + hoursPerMonth * price.s3Put,
  };
}

export function total(bill: Bill): number {
  return Object.values(bill).reduce((sum, part) => sum + part, 0);
}

export function billTable(bills: Readonly<Record<string, Bill>>): string {
  const names = Object.keys(bills);
  const parts = Object.keys(Object.values(bills)[0] ?? {}) as readonly (keyof Bill)[];
  const row = (name: string, amounts: readonly number[]): string =>
    `| ${name} | ${amounts.map((amount) => amount.toFixed(2)).join(" | ")} |`;
  return [
    `| $ a month | ${names.join(" | ")} |`,
    `|---|${names.map(() => "---:").join("|")}|`,
    ...parts.map((part) =>
      row(
        part,
        names.map((name) => bills[name]?.[part] ?? 0),
      ),
    ),
    row(
      "**in all**",
      names.map((name) => (bills[name] === undefined ? 0 : total(bills[name]))),
    ),
  ].join("\n");
}
