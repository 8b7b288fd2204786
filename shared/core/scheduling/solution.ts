/** Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, Results. It differs: plain data. */
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { Resources } from "../instance-type.ts";
import type { ExistingNode } from "./nodes/existing-node.ts";
import type { Requirements } from "./requirements/requirements.ts";

/** One way to launch a claim. */
export interface LaunchChoice {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly pricePerHour: number;
}

export interface PlannedClaim {
  readonly nodePool: NodePool;
  readonly requirements: Requirements;
  /** Names, cheapest first, at most 600. */
  readonly instanceTypes: readonly string[];
  /** Capacity types of the available offerings among them, sorted. */
  readonly capacityTypes: readonly string[];
  readonly pods: readonly Pod[];
  /** Pods and the daemons that run on each of the types. */
  readonly requests: Resources;
  readonly cheapest: LaunchChoice;
  /** The cheapest choice of another type. */
  readonly runnerUp: LaunchChoice | undefined;
  /** Types of the pool: all, those that meet the requirements and can be had, those that also have room. */
  readonly considered: { readonly all: number; readonly launchable: number; readonly fitting: number };
  readonly minValuesRelaxed: boolean;
}

export interface PlacedOnNode {
  readonly node: ExistingNode;
  readonly pods: readonly Pod[];
}

/** Pods that found no place, all for the same cause. */
export interface Unplaced {
  readonly pods: readonly Pod[];
  /** One line for people, bounded. */
  readonly message: string;
  /** A NodePool that could be theirs rests (setting offHours). */
  readonly resting?: true;
}

/** The answer to a scheduling problem. Each pod of the problem is in exactly one of the lists. */
export interface Solution {
  readonly nodes: readonly PlacedOnNode[];
  readonly claims: readonly PlannedClaim[];
  readonly unplaced: readonly Unplaced[];
  /** Pods that wait for reserved capacity that other claims of this batch may still give back. */
  readonly deferred: readonly Unplaced[];
}
