/**
 * Karpenter counterpart: none, because it looks at each pod by itself. Pods that are alike in everything that
 * scheduling reads.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { Resources } from "../../instance-type.ts";
import type { NodeAsk } from "../requirements/node-ask.ts";
import type { RelaxationRules, RelaxationStep } from "../requirements/relaxation.ts";
import type { PodIdentity, PodSelectors } from "../topology/pod-selector.ts";
import type { RuleLadder } from "../topology/rule-ladder.ts";
import type { VolumeNeeds, VolumeNeedsByPod } from "../volumes/volume-needs.ts";
import type { HostPort } from "./host-ports.ts";

/** Parts that classes share are one object each. */
export interface PodClass {
  /** The oldest first. */
  readonly pods: readonly Pod[];
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
  readonly node: NodeAsk;
  /** What they ask of other pods. */
  readonly ladder: RuleLadder;
  readonly steps: readonly RelaxationStep[];
  /** What rules of other pods see of them. */
  readonly identity: PodIdentity;
  /** Undefined: no volume that matters. Where the volumes are narrows the node, not what the pod itself asks for. */
  readonly volumes: VolumeNeeds | undefined;
  /** Set: these pods are refused because of it. */
  readonly unsupported: string | undefined;
}

export interface ClassContext extends RelaxationRules {
  readonly volumes?: VolumeNeedsByPod;
  readonly selectors?: PodSelectors;
  /** Label keys that rules of running pods read; absent: there are no such rules. */
  readonly labelKeys?: readonly string[];
}
