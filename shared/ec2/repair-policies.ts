/** Karpenter counterpart: pkg/cloudprovider/cloudprovider.go of its AWS provider, RepairPolicies. No difference. */
import type { RepairPolicy } from "#core/cloud-provider.ts";

const minuteMs = 60_000;

/** Conditions of the kubelet and of EKS's node monitoring agent, and how long each may last. */
export const repairPolicies: readonly RepairPolicy[] = [
  { conditionType: "Ready", conditionStatus: "False", tolerationMs: 30 * minuteMs },
  { conditionType: "Ready", conditionStatus: "Unknown", tolerationMs: 30 * minuteMs },
  { conditionType: "AcceleratedHardwareReady", conditionStatus: "False", tolerationMs: 10 * minuteMs },
  { conditionType: "StorageReady", conditionStatus: "False", tolerationMs: 30 * minuteMs },
  { conditionType: "NetworkingReady", conditionStatus: "False", tolerationMs: 30 * minuteMs },
  { conditionType: "KernelReady", conditionStatus: "False", tolerationMs: 30 * minuteMs },
  { conditionType: "ContainerRuntimeReady", conditionStatus: "False", tolerationMs: 30 * minuteMs },
];
