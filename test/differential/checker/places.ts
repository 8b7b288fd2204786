import type { Pod, Taint } from "#api/core-v1/pod.ts";
import type { Labels } from "./matching.ts";

/** A node as kube-scheduler sees it, and the pods that are to be bound to it. */
export interface Place {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** Running there from the start. */
  readonly running: readonly Pod[];
  /** To be bound there, in any order. */
  readonly coming: readonly Pod[];
}
