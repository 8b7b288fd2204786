/** Karpenter counterpart: pkg/apis/v1/nodepool_status.go. No difference. */
import { type ConditionSet, ready } from "../condition.ts";

export const validationSucceeded = "ValidationSucceeded";
export const nodeClassReady = "NodeClassReady";
/** Informational: it does not feed Ready. */
export const nodeRegistrationHealthy = "NodeRegistrationHealthy";

export const nodePoolConditions: ConditionSet = { root: ready, dependents: [validationSucceeded, nodeClassReady] };
