/**
 * Karpenter counterpart: pkg/providers/instance/types.go of its AWS provider. It differs: what any cloud can say of a
 * machine.
 */
/** A machine as the cloud reports it. */
export interface Instance {
  readonly id: string;
  /** As on the Node's spec: `provider:///zone/id`. */
  readonly providerID: string;
  readonly state: "pending" | "running" | "stopping" | "stopped" | "shutting-down" | "terminated";
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly imageId?: string;
  readonly launchedAtMs: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly subnetId?: string;
  readonly securityGroupIds?: readonly string[];
  /** The capacity reservation that it fills. */
  readonly reservationId?: string;
  /** Of its placement group, from 1; absent: it has none, or the cloud does not show it yet. */
  readonly partition?: number;
}
