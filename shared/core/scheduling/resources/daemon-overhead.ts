/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/daemonset.go and scheduler.go, getDaemonOverhead. It
 * differs: every OR-ed term of a DaemonSet counts for every pool (Karpenter loses terms while it looks at one pool), and
 * the tolerations that Kubernetes' DaemonSet controller adds are there from the start.
 */
import type { Pod, PodSpec, Taint, Toleration } from "#api/core-v1/pod.ts";
import type { DaemonSet } from "#api/core-v1/workload.ts";
import { initializedLabel, registeredLabel } from "#api/karpenter-v1/labels.ts";
import type { Resources } from "../../instance-type.ts";
import { isActive } from "../../pod/pod-predicates.ts";
import { type Bitset, both, emptyBitset, include, isEmpty, without } from "../instance-types/bitset.ts";
import type { InstanceTypeIndex } from "../instance-types/instance-type-index.ts";
import { type HostPort, hostPortsOf } from "../pods/host-ports.ts";
import { byAge } from "../pods/pod-age.ts";
import { requiredAlternatives } from "../requirements/node-affinity.ts";
import { valueRequirement } from "../requirements/requirement.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import { labelsMeet, type Requirements } from "../requirements/requirements.ts";
import { firstUntolerated, toleratePreferNoSchedule } from "../requirements/taints.ts";
import type { Dimensions, ResourceVector } from "./resource-vector.ts";
import { noResources, podRequests, sum } from "./resources.ts";

/** What one DaemonSet's pod takes of every node that it runs on. */
export interface Daemon {
  readonly namespace: string;
  readonly name: string;
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  readonly alternatives: readonly Requirements[];
  /** As other pods see it. */
  readonly pod: Pod;
}

/** Instance types on which the same daemons run. */
export interface DaemonGroup {
  readonly types: Bitset;
  readonly overhead: ResourceVector;
  readonly hostPorts: readonly HostPort[];
  readonly daemons: readonly Daemon[];
}

/** Kubernetes: what its DaemonSet controller adds to every pod. */
const daemonTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];

/** By namespace and name. A DaemonSet that asks for devices (resourceClaims) is left out, as in Karpenter. */
export function daemonsOf(daemonSets: readonly DaemonSet[], pods: readonly Pod[]): readonly Daemon[] {
  const newest = newestPods(pods);
  return daemonSets
    .filter(({ spec }) => !usesClaims(spec.template.spec))
    .map((daemonSet) =>
      daemonOf(daemonSet, newest.get(ownerKey(daemonSet.metadata.namespace, daemonSet.metadata.name))),
    )
    .sort((a, b) => (ownerKey(a.namespace, a.name) < ownerKey(b.namespace, b.name) ? -1 : 1));
}

/** Runs on every node with such labels and taints. Nodes that are on their way count as registered and initialised. */
export function runsOn(daemon: Daemon, labels: Readonly<Record<string, string>>, taints: readonly Taint[]): boolean {
  return toleratesAll(daemon, taints) && daemon.alternatives.some((requirements) => labelsMeet(labels, requirements));
}

/** The daemon's namespace and name, as a pod's owner names it. */
export function ownerOfDaemonPod(pod: Pod): string | undefined {
  const owner = pod.metadata.ownerReferences?.find((one) => one.apiVersion === "apps/v1" && one.kind === "DaemonSet");
  return owner === undefined ? undefined : ownerKey(pod.metadata.namespace, owner.name);
}

export function keyOfDaemon(daemon: Daemon): string {
  return ownerKey(daemon.namespace, daemon.name);
}

/** The types of `index` by the daemons that run on a node of that type with these taints and requirements; every type is in one group. */
export function daemonGroups(
  daemons: readonly Daemon[],
  taints: readonly Taint[],
  node: RequirementSet,
  index: InstanceTypeIndex,
  sets: RequirementSets,
  dimensions: Dimensions,
): readonly DaemonGroup[] {
  const running = sets.intern(withLifecycleLabels(node.requirements));
  const here = daemons
    .filter((daemon) => toleratesAll(daemon, taints))
    .map((daemon) => ({ daemon, types: typesOf(daemon, running, index, sets) }));
  let groups: readonly DaemonTypes[] = [{ types: index.all, daemons: [] }];
  for (const one of here) groups = groups.flatMap((group) => split(group, one));
  return groups.map((group) => ({
    types: group.types,
    overhead: dimensions.vectorOf(group.daemons.map(({ requests }) => requests).reduce(sum, noResources)),
    hostPorts: group.daemons.flatMap(({ hostPorts }) => hostPorts),
    daemons: group.daemons,
  }));
}

interface DaemonTypes {
  readonly types: Bitset;
  readonly daemons: readonly Daemon[];
}

/** The types of the group on which the daemon runs, and the others. */
function split(
  group: DaemonTypes,
  { daemon, types }: { readonly daemon: Daemon; readonly types: Bitset },
): readonly DaemonTypes[] {
  const running = { types: both(group.types, types), daemons: [...group.daemons, daemon] };
  const others = { types: without(group.types, types), daemons: group.daemons };
  return [running, others].filter((part) => !isEmpty(part.types));
}

/** A node carries these two once it is up, so DaemonSets that select them run there. */
export function withLifecycleLabels(requirements: Requirements): Requirements {
  const labels = [registeredLabel, initializedLabel].map((key) => valueRequirement(key, "true"));
  return new Map([...requirements, ...labels.map((requirement) => [requirement.key, requirement] as const)]);
}

function typesOf(daemon: Daemon, node: RequirementSet, index: InstanceTypeIndex, sets: RequirementSets): Bitset {
  const types = emptyBitset(index.types.length);
  for (const requirements of daemon.alternatives) {
    const set = sets.narrow(node, sets.intern(requirements));
    if (set !== undefined) include(types, index.compatible(set));
  }
  return types;
}

function daemonOf(daemonSet: DaemonSet, live: Pod | undefined): Daemon {
  const template = daemonSet.spec.template.spec;
  const spec = live?.spec ?? withRequestsFromLimits(template);
  return {
    namespace: daemonSet.metadata.namespace ?? "default",
    name: daemonSet.metadata.name,
    requests: podRequests(spec, live?.status),
    hostPorts: hostPortsOf(spec),
    tolerations: [...(template.tolerations ?? []), ...daemonTolerations],
    // A live pod's own affinity names its node.
    alternatives: requiredAlternatives(template),
    pod: podOf(daemonSet),
  };
}

/** One that is not there yet. */
function podOf({ metadata, spec }: DaemonSet): Pod {
  const { namespace = "default", name } = metadata;
  const { metadata: own, spec: podSpec } = spec.template;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace, name, ...(own?.labels === undefined ? {} : { labels: own.labels }) },
    spec: podSpec,
  };
}

/** What a LimitRange-free API server would have made of the template: a missing request is the limit. */
function withRequestsFromLimits(spec: PodSpec): PodSpec {
  const filled = <T extends PodSpec["containers"][number]>(container: T): T => {
    const { resources } = container;
    return { ...container, resources: { ...resources, requests: { ...resources?.limits, ...resources?.requests } } };
  };
  return {
    ...spec,
    containers: spec.containers.map(filled),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(filled) }),
  };
}

function newestPods(pods: readonly Pod[]): ReadonlyMap<string, Pod> {
  const newest = new Map<string, Pod>();
  for (const pod of pods) {
    const owner = ownerOfDaemonPod(pod);
    if (owner === undefined || !isActive(pod)) continue;
    const before = newest.get(owner);
    if (before === undefined || byAge(before, pod) < 0) newest.set(owner, pod);
  }
  return newest;
}

function usesClaims(spec: PodSpec): boolean {
  return (
    (spec.resourceClaims ?? []).length > 0 || spec.containers.some((one) => (one.resources?.claims ?? []).length > 0)
  );
}

function toleratesAll(daemon: Daemon, taints: readonly Taint[]): boolean {
  return firstUntolerated(taints, [...daemon.tolerations, toleratePreferNoSchedule]) === undefined;
}

function ownerKey(namespace: string | undefined, name: string): string {
  return `${namespace ?? "default"}/${name}`;
}
