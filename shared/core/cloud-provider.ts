/**
 * Karpenter counterpart: pkg/cloudprovider/types.go, CloudProvider. It differs: nothing here calls anything; a provider
 * reads its part of the snapshot and answers with data and commands.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { CloudCommand } from "./command.ts";
import type { Decision } from "./decision.ts";
import type { Instance } from "./instance.ts";
import type { InstanceType } from "./instance-type.ts";
import type { MessageAnswer } from "./interruption-notice.ts";
import type { Settings } from "./settings.ts";
import type { ClusterView, Snapshot } from "./snapshot.ts";

/** All types that the class offers, available or not (drift needs them all), or why none can be named. */
export type InstanceTypesAnswer =
  | { readonly kind: "known"; readonly instanceTypes: readonly InstanceType[] }
  | { readonly kind: "unknown"; readonly message: string };

/** How to launch a claim: what must exist first, and the launch itself; or why it cannot be launched now. */
export type LaunchPlan =
  | {
      readonly kind: "launch";
      readonly prepare: readonly CloudCommand[];
      readonly launch: Extract<CloudCommand, { kind: "launch-instance" }>;
    }
  /** Nothing in the claim's list can be had: the claim is deleted and its pods are placed anew. */
  | { readonly kind: "insufficient-capacity"; readonly message: string }
  /** Wait: the class is not ready; the claim says why. */
  | { readonly kind: "not-ready"; readonly message: string };

/** The seam for clouds, all pure. */
export interface CloudProvider<Query, View> {
  readonly name: string;
  readonly nodeClass: { readonly group: string; readonly kind: string; readonly label: string };
  /** Labels that may be used in requirements although a node lacks them, beyond the core's. */
  readonly wellKnownLabels: readonly string[];
  /** By which reserved offerings name their reservation; absent: there are no reservations. */
  readonly reservationIdLabel?: string;
  /** What to ask the cloud, given the cluster: selectors of the node classes and the like. */
  readonly query: (cluster: ClusterView, settings: Settings) => Query;
  /** Resolves the node classes, writes their status and conditions. */
  readonly nodeClasses: (snapshot: Snapshot<View>) => Decision;
  /** Says on the node classes what became of what `nodeClasses` has made for them in this tick. */
  readonly nodeClassOutcome?: (snapshot: Snapshot<View>) => Decision;
  readonly instanceTypes: (snapshot: Snapshot<View>, nodePool: NodePool) => InstanceTypesAnswer;
  /** Like instanceTypes, for the class that a claim names (standalone claims have no pool). */
  readonly instanceTypesOfClaim: (snapshot: Snapshot<View>, claim: NodeClaim) => InstanceTypesAnswer;
  readonly planLaunch: (snapshot: Snapshot<View>, claim: NodeClaim, attempt: number) => LaunchPlan;
  /** Labels that the launched instance's node carries (type, zone, capacity type, and all single-valued labels of its type), and its resources. */
  readonly launched: (snapshot: Snapshot<View>, claim: NodeClaim, instance: Instance) => LaunchedFacts;
  /** Why the claim's node, which has joined, may not be registered yet; absent: nothing ever stands in the way. */
  readonly registrationObstacle?: (snapshot: Snapshot<View>, claim: NodeClaim) => string | undefined;
  /** Reads one message of the interruption queue: its text, or the parsed envelope. Never throws. */
  readonly readMessage: (body: unknown) => MessageAnswer;
  /** How the claim's instance differs from what its class asks for; undefined: it does not, or that cannot be told. */
  readonly drift?: (snapshot: Snapshot<View>, claim: NodeClaim, instance: Instance) => CloudDrift | undefined;
  /** When nodes count as broken; absent: none does. */
  readonly repairPolicies?: readonly RepairPolicy[];
  /** Tags that the instance of a registered claim should carry for people; what it has under such a key stays. */
  readonly registeredTags?: (claim: NodeClaim, settings: Settings) => Readonly<Record<string, string>>;
}

/** A node whose condition has stood so for this long is replaced (gate NodeRepair). */
export interface RepairPolicy {
  readonly conditionType: string;
  readonly conditionStatus: "True" | "False" | "Unknown";
  readonly tolerationMs: number;
}

/** `reason` is a word for the condition Drifted; `message` says what differs. */
export interface CloudDrift {
  readonly reason: string;
  readonly message: string;
}

export interface LaunchedFacts {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}
