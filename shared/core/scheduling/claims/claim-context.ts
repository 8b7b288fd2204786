/** Karpenter counterpart: none, because its claims hold a scheduler each. What all claims of a batch share. */
import type { LaunchProfiles } from "../instance-types/launch-profiles.ts";
import type { Reservations } from "../instance-types/reservations.ts";
import type { RequirementSets } from "../requirements/requirement-set.ts";
import type { Dimensions } from "../resources/resource-vector.ts";

/** What all claims of a batch are made with. */
export interface ClaimContext {
  readonly sets: RequirementSets;
  readonly dimensions: Dimensions;
  readonly reservations: Reservations;
  readonly profiles: LaunchProfiles;
}
