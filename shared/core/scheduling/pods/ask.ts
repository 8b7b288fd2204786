/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, PodData. It differs: one for all pods
 * alike.
 */

import type { RequirementSet } from "../requirements/requirement-set.ts";
import type { ResourceVector } from "../resources/resource-vector.ts";
import type { Attachment } from "../volumes/pod-volumes.ts";
import type { HostPort } from "./host-ports.ts";

/** A pod class at one step of relaxation, with what it asks for in numbers. */
export interface Ask {
  readonly alternatives: readonly RequirementSet[];
  readonly requests: ResourceVector;
  readonly hostPorts: readonly HostPort[];
  /** Volumes that other pods use too; `requests` counts their attachments. */
  readonly shared: readonly Attachment[];
}
