/**
 * Karpenter counterpart: FeatureFlags and DefaultBlockDeviceMappings of pkg/providers/amifamily/{al2,al2023,bottlerocket,
 * windows,custom}.go. No difference: the same facts as one table.
 */
import type { AmiFamily } from "#api/ec2-v1/ec2nodeclass.ts";

/** Where the image families differ in what a node can hold. */
export interface FamilyRules {
  /** Pods are limited by network interfaces; otherwise 110. */
  readonly podsByEni: boolean;
  /** kubelet.podsPerCore is honoured. */
  readonly podsPerCore: boolean;
  /** Memory kept for the kubelet is computed from the interfaces' pods, whatever maxPods says. */
  readonly reservedMemoryByEni: boolean;
  /** The device that backs the kubelet's directory; undefined: the image decides. */
  readonly ephemeralDevice: string | undefined;
  /** Its size when the class maps no devices. */
  readonly ephemeralGiB: number;
  readonly windows: boolean;
}

const linux: FamilyRules = {
  podsByEni: true,
  podsPerCore: true,
  reservedMemoryByEni: true,
  ephemeralDevice: "/dev/xvda",
  ephemeralGiB: 20,
  windows: false,
};
const windows: FamilyRules = {
  podsByEni: false,
  podsPerCore: true,
  reservedMemoryByEni: false,
  ephemeralDevice: "/dev/sda1",
  ephemeralGiB: 50,
  windows: true,
};

/** Karpenter: FeatureFlags and the default block devices of pkg/providers/amifamily. */
export const familyRules: Readonly<Record<AmiFamily, FamilyRules>> = {
  AL2: linux,
  AL2023: linux,
  Bottlerocket: { ...linux, podsPerCore: false, reservedMemoryByEni: false, ephemeralDevice: "/dev/xvdb" },
  Custom: { ...linux, ephemeralDevice: undefined },
  Windows2019: windows,
  Windows2022: windows,
  Windows2025: windows,
};
