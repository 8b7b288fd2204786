/**
 * Karpenter counterpart: pkg/cloudprovider/types.go, InstanceType and Offering. It differs in being plain data with
 * integers: allocatable is given, not computed at each use.
 */
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";

/**
 * Amounts by resource name, integers in the resource's smallest unit of use: milli-CPU for `cpu`, bytes for `memory`,
 * `ephemeral-storage` and `hugepages-*`, whole units for all else.
 */
export type Resources = Readonly<Record<string, number>>;

export interface Offering {
  readonly zone: string;
  readonly capacityType: string;
  readonly pricePerHour: number;
  /** False: known, but not to be had now (no capacity, no price, no subnet). */
  readonly available: boolean;
  /** Beyond zone and capacity type. */
  readonly requirements?: readonly RequirementSpec[];
  /** For capacity type reserved: which reservation, and how many instances it has left. */
  readonly reservationId?: string;
  readonly reservationCapacity?: number;
}

export interface InstanceType {
  readonly name: string;
  /** One value each as a rule; must define every well-known label, `DoesNotExist` where it has none. */
  readonly requirements: readonly RequirementSpec[];
  readonly offerings: readonly Offering[];
  readonly capacity: Resources;
  /** capacity − (kube-reserved + system-reserved + eviction threshold). */
  readonly allocatable: Resources;
  /** By CSI driver, how many volumes a node of the type attaches at least; a driver that is not named: no limit is known. */
  readonly volumeLimits?: Readonly<Record<string, number>>;
}
