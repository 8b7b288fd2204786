/** Karpenter counterpart: none, because it goes from pod to pod. Pods alike, while places are found for them. */
import type { Pod } from "#api/core-v1/pod.ts";
import type { CandidatePool } from "../claims/candidate-pool.ts";
import type { Tolerance } from "../nodes/existing-node.ts";
import type { Daemon } from "../resources/daemon-overhead.ts";
import type { ClassRules } from "../topology/class-rules.ts";
import type { Membership } from "../topology/topology.ts";
import type { Ask } from "./ask.ts";
import type { PodClass } from "./pod-class.ts";

/** A class at one step of relaxation. */
export interface Step extends Ask {
  readonly tolerance: Tolerance;
  readonly pools: readonly CandidatePool[];
  readonly rules: ClassRules;
  /** No wish is left that could be given up. */
  readonly isLast: boolean;
}

/** A class while its pods are placed. */
export interface ClassInWork {
  readonly podClass: PodClass;
  readonly steps: readonly Step[];
  readonly membership: Membership;
  /** Daemons with which its pods must not share a node. */
  readonly apartFrom: readonly Daemon[];
  /** Without a place yet; the first ones are placed first. */
  waiting: readonly Pod[];
  /** Reserved capacity could take them and is all spoken for: no preference is given up for that. */
  deferred: boolean;
  /** What the counts were that can open a domain for it, when it found no more places. */
  failedAt: readonly number[];
}
