/**
 * Karpenter counterpart: pkg/cloudprovider/types.go, its error types, and the errors of the Kubernetes API. It differs:
 * one closed list for both, of kinds after which something different is done.
 */
/**
 * What the world answered when it refused. A kind exists only where the next step differs:
 *
 * - `conflict`: the object changed since it was read → the next tick reads again.
 * - `not-found`: the object is gone → for a deletion this is success.
 * - `already-exists`: a create met an object of that name.
 * - `invalid`: the API refused the content → said on the object, not repeated unchanged.
 * - `forbidden`: a right is missing → said, retried by the minute.
 * - `throttled`, `unavailable`: later again; `retryAfterMs` when the server named a time.
 * - `eviction-refused`: a PodDisruptionBudget allows no eviction now → back-off.
 * - `insufficient-capacity`: these offerings cannot be had → they are unavailable for a while, the claim is deleted and its pods are placed anew.
 * - `launch-refused`: the cloud refused the launch for a cause that a person must mend (quota, rights, image).
 * - `token-mismatch`: an earlier attempt with this token took effect with another content → look the instance up.
 * - `token-instance-terminated`: an earlier attempt with this token took effect and its instance is gone.
 */
export const faultKinds = [
  "conflict",
  "not-found",
  "already-exists",
  "invalid",
  "forbidden",
  "throttled",
  "unavailable",
  "eviction-refused",
  "insufficient-capacity",
  "launch-refused",
  "token-mismatch",
  "token-instance-terminated",
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** The server's code, as it named it (`InsufficientInstanceCapacity`, `409`). */
  readonly code: string;
  /** For people; never holds a secret or user data. */
  readonly message: string;
  /** The word for a condition, where the server's code is none (a text with dots, a number). */
  readonly reason?: string;
  readonly retryAfterMs?: number;
  /** For a launch: the offerings that were refused for want of capacity, whatever else refused the rest. */
  readonly offerings?: readonly {
    readonly instanceType: string;
    readonly zone: string;
    readonly capacityType: string;
  }[];
  /** For a launch: subnets that have no address left for any instance. */
  readonly fullSubnets?: readonly string[];
}
