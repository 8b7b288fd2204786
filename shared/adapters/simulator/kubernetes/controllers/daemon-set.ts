import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { DaemonSet } from "#api/core-v1/workload.ts";
import type { ApiServer } from "../api-server/api-server.ts";
import { isReady } from "../api-server/eviction.ts";
import type { Parts } from "../parts.ts";
import { nodeAffinityMatches } from "../scheduler/node-affinity.ts";
import { untolerated } from "../scheduler/taints.ts";
import { Workqueue } from "../workqueue.ts";
import { daemonSpec, nodeOf, unpinnedSpec } from "./daemon-pod.ts";
import { isTerminal, podFrom, podsOf, queueWithDependents, templateHash } from "./ownership.ts";

const revisionLabel = "controller-revision-hash";

/** One pod on each node that the template fits by name, affinity and taints; resources are the scheduler's concern. */
export function startDaemonSets({ api, clock, delays }: Parts): void {
  const queue = new Workqueue(clock, delays.controllerMs, (key) => {
    const daemonSet = api.store.get("DaemonSet", key);
    if (daemonSet === undefined || daemonSet.metadata.deletionTimestamp !== undefined) return;
    reconcile(daemonSet, api);
  });
  queueWithDependents(api, "DaemonSet", queue);
  api.store.listen(({ object, previous, type }) => {
    if (object.kind !== "Node" || (type === "MODIFIED" && sameForDaemons(object as Node, previous as Node))) return;
    for (const { metadata } of api.store.list("DaemonSet")) queue.add(`${metadata.namespace}/${metadata.name}`);
  });
}

function sameForDaemons(a: Node, b: Node): boolean {
  return a.metadata.labels === b.metadata.labels && a.spec.taints === b.spec.taints;
}

/** What it makes and deletes brings it here again: one look at the pods is enough for each time. */
function reconcile(daemonSet: DaemonSet, api: ApiServer): void {
  const all = podsOf(daemonSet, api);
  const byNode = podsByNode(all);
  const nodes = api.store.list("Node");
  const placesByName = new Map(nodes.map((node) => [node.metadata.name, placeOn(node, daemonSet)]));
  for (const node of nodes) {
    if (placesByName.get(node.metadata.name)?.runs === true && !byNode.has(node.metadata.name))
      createPod(daemonSet, node, api);
  }
  for (const [nodeName, pods] of byNode) {
    const stays = placesByName.get(nodeName)?.stays === true;
    for (const pod of pods) if (!stays || isTerminal(pod)) remove(pod, api);
  }
  replaceOutdated(daemonSet, all, api);
  const desired = [...placesByName.values()].filter(({ runs }) => runs).length;
  api.patchStatus(
    "DaemonSet",
    daemonSet.metadata.name,
    daemonSet.metadata.namespace,
    statusOf(daemonSet, desired, all),
  );
}

/** Pods that name no node in any way are not the controller's doing and are left alone. */
function podsByNode(all: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of all) {
    const nodeName = nodeOf(pod);
    if (nodeName === undefined) continue;
    const others = byNode.get(nodeName);
    if (others === undefined) byNode.set(nodeName, [pod]);
    else others.push(pod);
  }
  return byNode;
}

interface Place {
  readonly runs: boolean;
  readonly stays: boolean;
}

/** By node and daemon set, each as it was then: stored objects are frozen, and every change makes another one. */
const places = new WeakMap<Node, WeakMap<DaemonSet["spec"], Place>>();

function placeOn(node: Node, daemonSet: DaemonSet): Place {
  const ofNode = places.get(node) ?? new WeakMap<DaemonSet["spec"], Place>();
  places.set(node, ofNode);
  const place = ofNode.get(daemonSet.spec) ?? freshPlaceOn(node, daemonSet);
  ofNode.set(daemonSet.spec, place);
  return place;
}

/** A pod that is there stays until it is driven away (NoExecute) or does not belong there any more. */
function freshPlaceOn(node: Node, daemonSet: DaemonSet): Place {
  const sample = { ...podFrom(daemonSet, daemonSet.spec.template), spec: unpinnedSpec(daemonSet) };
  if (!nodeAffinityMatches(sample, node)) return { runs: false, stays: false };
  const taints = node.spec.taints ?? [];
  return {
    runs: untolerated(sample, taints) === undefined,
    stays: untolerated(sample, taints, ["NoExecute"]) === undefined,
  };
}

function createPod(daemonSet: DaemonSet, node: Node, api: ApiServer): void {
  const labels = { [revisionLabel]: templateHash(daemonSet.spec.template), "pod-template-generation": "1" };
  api.create(podFrom(daemonSet, daemonSet.spec.template, { labels, spec: daemonSpec(daemonSet, node) }));
}

/** RollingUpdate with maxUnavailable 1, the default: one outdated pod goes when all others are ready. */
function replaceOutdated(daemonSet: DaemonSet, pods: readonly Pod[], api: ApiServer): void {
  if (!pods.every((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined)) return;
  const revision = templateHash(daemonSet.spec.template);
  const outdated = pods.find((pod) => {
    const known = pod.metadata.labels?.[revisionLabel];
    return pod.metadata.labels?.["pod-template-generation"] === "1" && known !== undefined && known !== revision;
  });
  if (outdated !== undefined) remove(outdated, api);
}

function remove(pod: Pod, api: ApiServer): void {
  if (pod.metadata.deletionTimestamp === undefined) api.delete("Pod", pod.metadata.name, pod.metadata.namespace);
}

function statusOf(daemonSet: DaemonSet, desired: number, all: readonly Pod[]): { readonly [key: string]: number } {
  const pods = all.filter((pod) => pod.metadata.deletionTimestamp === undefined);
  return {
    desiredNumberScheduled: desired,
    currentNumberScheduled: pods.filter((pod) => pod.spec.nodeName !== undefined).length,
    numberReady: pods.filter(isReady).length,
    observedGeneration: daemonSet.metadata.generation ?? 1,
  };
}
