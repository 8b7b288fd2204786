/**
 * Karpenter counterpart: pkg/operator/options/options.go, and the options of its AWS provider. It differs: plain data in
 * the snapshot, with a cluster identity beside the name.
 */
/** Karpenter's settings and feature gates, with its defaults; each is a field of the deployment's configuration. */
export interface Settings {
  readonly clusterName: string;
  /** Cluster ARN and creation time: instances carry it, so that a cluster made anew under an old name never takes them for its own. */
  readonly clusterIdentity: string;
  readonly region: string;
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: "Strict" | "BestEffort";
  readonly batchIdleMs: number;
  readonly batchMaxMs: number;
  /** AWS: share of a type's memory that the hypervisor keeps. Karpenter: VM_MEMORY_OVERHEAD_PERCENT. */
  readonly vmMemoryOverheadPercent: number;
  /** AWS: node classes are not validated by dry runs. Karpenter: DISABLE_DRY_RUN. */
  readonly disableDryRun?: boolean;
  /** AWS: network interfaces that pods cannot use. Karpenter: RESERVED_ENIS. */
  readonly reservedEnis: number;
  readonly kubernetesVersion: string;
  readonly featureGates: {
    readonly nodeRepair: boolean;
    readonly reservedCapacity: boolean;
    readonly spotToSpotConsolidation: boolean;
  };
  /** Pods of these namespaces alone never wake a cluster at zero, nor keep its last node. Empty: off. */
  readonly ignoreWhenAloneNamespaces: readonly string[];
}

export const defaultSettings: Settings = {
  clusterName: "",
  clusterIdentity: "",
  region: "us-east-1",
  preferencePolicy: "Respect",
  minValuesPolicy: "Strict",
  batchIdleMs: 1_000,
  batchMaxMs: 10_000,
  vmMemoryOverheadPercent: 0.075,
  reservedEnis: 0,
  kubernetesVersion: "1.32",
  featureGates: { nodeRepair: false, reservedCapacity: true, spotToSpotConsolidation: false },
  ignoreWhenAloneNamespaces: [],
};
