/** Karpenter counterpart: none, because its claims hold a scheduler each. What all claims of a batch share. */
import type { LaunchProfiles } from "./launch-profiles.ts";
import type { RequirementSets } from "./requirement-set.ts";
import type { Reservations } from "./reservations.ts";
import type { Dimensions } from "./resource-vector.ts";

/** What all claims of a batch are made with. */
export interface ClaimContext {
  readonly sets: RequirementSets;
  readonly dimensions: Dimensions;
  readonly reservations: Reservations;
  readonly profiles: LaunchProfiles;
}
