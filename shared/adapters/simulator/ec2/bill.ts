import { type InstanceRecord, stateOf } from "./instances.ts";

/** US dollars. */
export interface Bill {
  /** Of what is up now, pending included. */
  readonly perHour: number;
  /** Since the beginning. */
  readonly total: number;
  readonly byCapacityType: Readonly<Record<string, { readonly perHour: number; readonly total: number }>>;
  /** In order of launch. */
  readonly byInstance: readonly BillLine[];
}

export interface BillLine {
  readonly instanceId: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly pricePerHour: number;
  /** Charged so far. */
  readonly seconds: number;
  readonly total: number;
  readonly isUp: boolean;
}

/** EC2, Linux: by the second while `running`, at least a minute. */
const leastSeconds = 60;

export function billOf(records: readonly InstanceRecord[], nowMs: number): Bill {
  const byInstance = records.map((record) => lineOf(record, nowMs));
  const byCapacityType: Record<string, { perHour: number; total: number }> = {};
  for (const line of byInstance) {
    const share = byCapacityType[line.capacityType] ?? { perHour: 0, total: 0 };
    share.perHour += line.isUp ? line.pricePerHour : 0;
    share.total += line.total;
    byCapacityType[line.capacityType] = share;
  }
  let perHour = 0;
  let total = 0;
  for (const share of Object.values(byCapacityType)) {
    perHour += share.perHour;
    total += share.total;
  }
  return { perHour, total, byCapacityType, byInstance };
}

function lineOf(record: InstanceRecord, nowMs: number): BillLine {
  const { id: instanceId, instanceType, zone, capacityType, pricePerHour, history } = record;
  let ranMs = 0;
  history.forEach(({ state, atMs }, i) => {
    if (state === "running") ranMs += (history[i + 1]?.atMs ?? nowMs) - atMs;
  });
  const hasRun = history.some(({ state }) => state === "running");
  const seconds = hasRun ? Math.max(Math.ceil(ranMs / 1000), leastSeconds) : 0;
  const state = stateOf(record);
  const isUp = state === "pending" || state === "running";
  const total = (seconds * pricePerHour) / 3600;
  return { instanceId, instanceType, zone, capacityType, pricePerHour, seconds, total, isUp };
}
