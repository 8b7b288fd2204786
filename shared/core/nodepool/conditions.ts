/**
 * Karpenter counterpart: pkg/apis/v1/nodepool_status.go. It differs: a budget that cannot be read is a condition too; it is
 * there only while that lasts.
 */
import { type ConditionSet, ready } from "../condition.ts";

export const validationSucceeded = "ValidationSucceeded";
export const nodeClassReady = "NodeClassReady";
/** Informational: it does not feed Ready. */
export const nodeRegistrationHealthy = "NodeRegistrationHealthy";

/** Informational: no node of the pool is disrupted while it is False. */
export const disruptionBudgetsReadable = "DisruptionBudgetsReadable";

/** Informational: a limit or right of the cloud's account refuses launches of a capacity type. There only while False. */
export const launchesAllowed = "LaunchesAllowed";

/** Informational: the pool rests (setting offHours). There only while True. */
export const offHours = "OffHours";

export const nodePoolConditions: ConditionSet = { root: ready, dependents: [validationSucceeded, nodeClassReady] };
