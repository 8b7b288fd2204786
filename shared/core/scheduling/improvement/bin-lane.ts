/** What packing pods anew deals with. Karpenter counterpart: none; it keeps the packing that it finds first. */
import type { Pod } from "#api/core-v1/pod.ts";
import type { ClaimInWork } from "../claims/claim-in-work.ts";
import type { Breadth } from "../instance-types/flexibility.ts";
import type { LaunchProfile } from "../instance-types/launch-profile.ts";
import type { Step } from "../pods/class-in-work.ts";
import type { HostRules } from "./host-rules.ts";

/** Claims that differ in nothing but their load. */
export interface BinLane {
  /** One of them. */
  readonly sample: ClaimInWork;
  readonly profile: LaunchProfile;
  /** Dollars per hour for a unit of each dimension. */
  readonly worths: Float64Array;
  /** By rank, what the whole room of the type is worth; and the ranks by that for the money, the best first. */
  readonly values: Float64Array;
  readonly byValue: readonly number[];
  /** By rank, the most that the room of a cheaper type is worth; 0: no type is cheaper. */
  readonly valuesBelow: Float64Array;
  /** Of one pod of a kind, once somebody asked. */
  readonly worthOf: Map<Kind, number>;
  /** By rank, once somebody asked: how broad a claim is that leaves no room on that type, and how many types are enough. */
  readonly breadthOfFull: (Breadth | undefined)[];
  readonly enoughOf: (number | undefined)[];
}

/** Pods of one class at one step of relaxation. */
export interface Kind {
  readonly step: Step;
  readonly host: HostRules | undefined;
  readonly pods: Pod[];
  /** Counts over other keys than the hostname do not concern it. */
  readonly isFree: boolean;
  /** Lanes to which its pods may change; none unless it is free. */
  readonly otherLanes: Set<BinLane>;
  /** The most types that a claim with such pods had: that many, or enough of them, it must keep. */
  types: number;
  /** The fewest zones that one had. */
  zones: number;
}

export interface Load {
  readonly kind: Kind;
  readonly count: number;
}
