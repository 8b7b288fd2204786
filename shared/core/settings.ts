/**
 * Karpenter counterpart: pkg/operator/options/options.go. It differs: plain data in the snapshot, with a cluster identity beside
 * the name.
 */
import type { OffHoursWindow } from "#api/off-hours.ts";

/** Karpenter's settings and feature gates, with its defaults; each is a field of the deployment's configuration. */
export interface Settings {
  readonly clusterName: string;
  /** Cluster ARN and creation time: instances carry it, so that a cluster made anew under an old name never takes them for its own. */
  readonly clusterIdentity: string;
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: "Strict" | "BestEffort";
  readonly batchIdleMs: number;
  readonly batchMaxMs: number;
  /** Steps that a tick with many pods spends at most on making its plan cheaper, about 20 µs each. */
  readonly improveSteps: number;
  readonly featureGates: {
    readonly nodeRepair: boolean;
    readonly reservedCapacity: boolean;
    readonly spotToSpotConsolidation: boolean;
  };
  /** Pods of these namespaces alone never wake a cluster at zero, nor keep its last node. Empty: off. */
  readonly ignoreWhenAloneNamespaces: readonly string[];
  /** Times in which NodePools rest: their nodes go, and no new ones are made. Empty: none. */
  readonly offHours: readonly OffHoursWindow[];
  /** Settings that only the cloud provider has; the core does not look inside. */
  readonly provider: Readonly<Record<string, string | number | boolean>>;
}

export const defaultSettings: Settings = {
  clusterName: "",
  clusterIdentity: "",
  preferencePolicy: "Respect",
  minValuesPolicy: "Strict",
  batchIdleMs: 1_000,
  batchMaxMs: 10_000,
  improveSteps: 10_000,
  featureGates: { nodeRepair: false, reservedCapacity: true, spotToSpotConsolidation: false },
  ignoreWhenAloneNamespaces: [],
  offHours: [],
  provider: {},
};
