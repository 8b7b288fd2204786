import type { Parts } from "../parts.ts";
import { startDaemonSets } from "./daemon-set.ts";
import { startDeployments } from "./deployment.ts";
import { startDisruptionBudgets } from "./disruption-budget.ts";
import { startGarbageCollector } from "./garbage-collector.ts";
import { startJobs } from "./job.ts";
import { startNodeTaints } from "./node-taints.ts";
import { startPodGarbageCollector } from "./pod-garbage-collector.ts";
import { startReplicaSets } from "./replica-set.ts";
import { startStatefulSets } from "./stateful-set.ts";
import { startTaintEviction } from "./taint-eviction.ts";
import { startVolumeAttachments } from "./volume-attachment.ts";
import { startVolumeBinding } from "./volume-binding.ts";

/** The controllers of kube-controller-manager that scheduling and disruption depend on. */
export function startControllers(parts: Parts): void {
  startDeployments(parts);
  startReplicaSets(parts);
  startStatefulSets(parts);
  startDaemonSets(parts);
  startJobs(parts);
  startGarbageCollector(parts);
  startPodGarbageCollector(parts);
  startDisruptionBudgets(parts);
  startNodeTaints(parts);
  startTaintEviction(parts);
  startVolumeBinding(parts);
  startVolumeAttachments(parts);
}
