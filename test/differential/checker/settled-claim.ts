import type { Pod, Taint } from "#api/core-v1/pod.ts";
import type { Machine } from "./machines.ts";

/** A claim without what was found wrong: its pods run on each of the machines. */
export interface SettledClaim {
  readonly where: string;
  readonly pool: string;
  readonly taints: readonly Taint[];
  readonly machines: readonly Machine[];
  readonly pods: readonly Pod[];
}
