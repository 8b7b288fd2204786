/** What each step of the search works with and leaves as it was. Karpenter counterpart: none; it keeps the packing that it finds first. */
import type { ResourceVector } from "../resources/resource-vector.ts";
import type { Dice } from "./dice.ts";
import type { HostTally } from "./host-rules.ts";

export interface Bench {
  readonly dice: Dice;
  readonly tally: HostTally;
  /** Looks for a relief since one was found last. */
  reliefsInVain: number;
  /** Written over by each question. */
  readonly vectors: readonly [ResourceVector, ResourceVector];
}
