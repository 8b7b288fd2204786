/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/scheduler.go, the arguments of NewScheduler. It
 * differs: plain data.
 */
import type { Namespace } from "#api/core-v1/cluster-objects.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { PoolInput } from "./claims/candidate-pool.ts";
import type { OpenClaim } from "./claims/open-claim.ts";
import type { ReservedMode } from "./instance-types/reservations.ts";
import type { ExistingNode } from "./nodes/existing-node.ts";
import type { MinValuesPolicy } from "./requirements/min-values.ts";
import type { Daemon } from "./resources/daemon-overhead.ts";
import type { Neighbour } from "./topology/topology.ts";
import type { VolumeNeedsByPod } from "./volumes/volume-needs.ts";

/** All that placing pods depends on. */
export interface SchedulingProblem {
  /** In any order: the answer does not depend on it. */
  readonly pods: readonly Pod[];
  /** Nodes, and claims that may still become any of their types; tried in this order. */
  readonly capacity: readonly (ExistingNode | OpenClaim)[];
  /** In any order. */
  readonly pools: readonly PoolInput[];
  readonly daemons: readonly Daemon[];
  readonly wellKnownLabels: readonly string[];
  readonly preferencePolicy: "Respect" | "Ignore";
  readonly minValuesPolicy: MinValuesPolicy;
  /** False: only nodes and claims that are there may take pods; the pools only tell which domains there could be. */
  readonly newNodes?: false;
  /** What the volumes of the pods ask for; absent: none has any. */
  readonly volumes?: VolumeNeedsByPod;
  /** How reserved offerings are used (absent: as any other), and the label by which they name their reservation. */
  readonly reservedMode?: ReservedMode;
  readonly reservationIdLabel?: string;
  /** All nodes that are there, with the pods on them that rules between pods see; absent: there are none. */
  readonly neighbours?: readonly Neighbour[];
  readonly namespaces?: readonly Namespace[];
}
