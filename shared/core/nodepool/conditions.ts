import type { ConditionSet } from "../condition.ts";

/** Karpenter counterpart: pkg/apis/v1/nodepool_status.go. No difference. */
export const validationSucceeded = "ValidationSucceeded";
export const nodeClassReady = "NodeClassReady";
/** Informational: it does not feed Ready. */
export const nodeRegistrationHealthy = "NodeRegistrationHealthy";

export const nodePoolConditions: ConditionSet = { root: "Ready", dependents: [validationSucceeded, nodeClassReady] };
