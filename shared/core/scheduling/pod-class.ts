/**
 * Pods that scheduling cannot tell apart form one class; each rule is looked at once a class, and a pod costs one text
 * and one map look-up. Karpenter counterpart: none; its PodData (scheduling/scheduler.go) is made for every pod.
 */
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import type { Resources } from "../instance-type.ts";
import { objectName } from "../object-ref.ts";
import { type HostPort, hostPortsOf } from "./host-ports.ts";
import { type RelaxationRules, type RelaxationStep, relaxationSteps } from "./relaxation.ts";
import { keyOfRequirements } from "./requirements.ts";
import { podRequests } from "./resources.ts";
import { unsupportedRule } from "./unsupported.ts";

export interface PodClass {
  /** The oldest first. */
  readonly pods: readonly Pod[];
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
  readonly steps: readonly RelaxationStep[];
  /** Set: these pods are refused because of it. */
  readonly unsupported: string | undefined;
  /** Canonical text of all the above but the pods. */
  readonly text: string;
}

/**
 * The classes in the order in which they are placed: much CPU first, then much memory (as Karpenter's queue), then the
 * class of the oldest pod. Pods within a class and the order do not depend on the order of `pods`.
 */
export function podClasses(pods: readonly Pod[], rules: RelaxationRules): readonly PodClass[] {
  const byShape = new Map<string, Pod[]>();
  for (const pod of pods) {
    const shape = shapeOf(pod.spec);
    const list = byShape.get(shape);
    if (list === undefined) byShape.set(shape, [pod]);
    else list.push(pod);
  }
  const byText = new Map<string, { compiled: Omit<PodClass, "pods">; pods: Pod[] }>();
  for (const members of byShape.values()) {
    const first = members[0];
    if (first === undefined) continue;
    const compiled = compile(first.spec, rules);
    const known = byText.get(compiled.text);
    if (known === undefined) byText.set(compiled.text, { compiled, pods: members });
    else for (const pod of members) known.pods.push(pod);
  }
  return [...byText.values()]
    .map(({ compiled, pods: members }) => ({ ...compiled, pods: members.sort(byAge) }))
    .sort(byDemand);
}

/** Older first; then by UID and name, so that the order is total. */
export function byAge(a: Pod, b: Pod): number {
  return (
    compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") ||
    compare(a.metadata.uid ?? "", b.metadata.uid ?? "") ||
    compare(objectName(a.metadata), objectName(b.metadata))
  );
}

function byDemand(a: PodClass, b: PodClass): number {
  const [first, second] = [a.pods[0], b.pods[0]];
  return (
    (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0) ||
    (b.requests.memory ?? 0) - (a.requests.memory ?? 0) ||
    (first === undefined || second === undefined ? 0 : byAge(first, second))
  );
}

/** Equal for pods written alike. Pods that mean the same but are written differently meet again in `text`. */
function shapeOf(spec: PodSpec): string {
  return JSON.stringify([
    spec.containers.map(({ resources, ports }) => [resources?.requests, resources?.claims, ports]),
    spec.initContainers?.map(({ resources, restartPolicy }) => [resources?.requests, resources?.claims, restartPolicy]),
    spec.overhead,
    spec.resources?.requests,
    spec.nodeSelector,
    spec.affinity,
    spec.tolerations,
    spec.topologySpreadConstraints,
    spec.volumes?.filter((volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined),
    spec.resourceClaims?.length,
  ]);
}

function compile(spec: PodSpec, rules: RelaxationRules): Omit<PodClass, "pods"> {
  const requests = podRequests(spec);
  const hostPorts = hostPortsOf(spec);
  const steps = relaxationSteps(spec, rules);
  const unsupported = unsupportedRule(spec);
  const text = JSON.stringify([
    Object.entries(requests).sort(([a], [b]) => compare(a, b)),
    hostPorts,
    steps.map((step) => [
      step.alternatives.map(keyOfRequirements),
      step.tolerations.map(({ key, operator, value, effect }) => JSON.stringify([key, operator, value, effect])).sort(),
    ]),
    unsupported ?? "",
  ]);
  return { requests, hostPorts, steps, unsupported, text };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
