import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { bindPod } from "../api-server/pod-subresources.ts";
import type { Change } from "../api-server/store.ts";
import { isTerminal } from "../controllers/ownership.ts";
import { claimNamesOf } from "../controllers/volume-attachment.ts";
import { isBound, selectedNodeAnnotation } from "../controllers/volume-binding.ts";
import type { Parts } from "../parts.ts";
import { ClusterCache } from "./cluster-cache.ts";
import { NodeSearch } from "./node-search.ts";
import { type PodInfo, podInfo } from "./pod-info.ts";
import { SchedulingQueue } from "./scheduling-queue.ts";
import { sayUnschedulable, schedulerName } from "./unschedulable.ts";

/** Kinds whose changes may help a pod that found no node. */
const helpfulKinds = new Set(["PersistentVolumeClaim", "PersistentVolume", "StorageClass", "CSINode", "Namespace"]);

/**
 * kube-scheduler's default profile, written anew from its documented behaviour and sharing nothing with Outrigger's own
 * scheduling, so that it catches what Outrigger gets wrong. It does not preempt: a pod of higher priority waits for room.
 */
export class Scheduler {
  readonly #parts: Parts;
  readonly #cache: ClusterCache;
  readonly #search: NodeSearch;
  readonly #queue: SchedulingQueue;
  /** Pods with a node whose volumes are not made yet: key → node. */
  readonly #waitingForVolumes = new Map<string, string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#cache = new ClusterCache(parts.api);
    this.#search = new NodeSearch(this.#cache, parts);
    this.#queue = new SchedulingQueue(parts.clock, parts.delays, () => this.#run());
  }

  start(): void {
    this.#parts.api.store.listen((change) => this.#hear(change));
  }

  #hear(change: Change): void {
    this.#cache.hear(change);
    const { object } = change;
    if (object.kind === "Pod") this.#hearPod(change);
    else if (object.kind === "Node") {
      if (mayHelp(object as Node, change.previous as Node | undefined)) this.#queue.moveAll();
    } else if (helpfulKinds.has(object.kind)) {
      this.#queue.moveAll();
      if (object.kind === "PersistentVolumeClaim") this.#bindThoseWithVolumes();
    }
  }

  #hearPod({ object, previous, type }: Change): void {
    const pod = object as Pod;
    const before = previous as Pod | undefined;
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const left = type === "DELETED" || isTerminal(pod);
    if (left || pod.spec.nodeName !== undefined) {
      if (this.#waitingForVolumes.delete(key)) this.#cache.forget(pod.metadata.uid ?? "");
      this.#queue.remove(key);
      // Room was made, or somebody is there now whom others want to be near.
      if (pod.spec.nodeName !== undefined && (left || before?.spec.nodeName === undefined)) this.#queue.moveAll();
    } else if (isOurs(pod) && !this.#waitingForVolumes.has(key)) {
      const changed = before?.spec !== pod.spec || before.metadata.labels !== pod.metadata.labels;
      if (changed) this.#queue.add(key);
    }
  }

  #run(): void {
    const podOf = (key: string): Pod | undefined => this.#parts.api.store.get("Pod", key);
    for (const key of this.#queue.take(podOf)) {
      const pod = podOf(key);
      if (pod === undefined || pod.spec.nodeName !== undefined || !isOurs(pod)) this.#queue.remove(key);
      else this.#schedule(key, podInfo(pod));
    }
  }

  #schedule(key: string, info: PodInfo): void {
    const verdict = this.#search.nodeFor(info);
    if (verdict.kind === "none") {
      this.#queue.failed(key);
      sayUnschedulable(info.pod, verdict.message, this.#parts);
      return;
    }
    this.#queue.remove(key);
    if (verdict.toBind.length === 0) {
      this.#bind(info.pod, verdict.node.name);
      return;
    }
    this.#cache.assume(info, verdict.node.name);
    this.#waitingForVolumes.set(key, verdict.node.name);
    for (const { metadata } of verdict.toBind) {
      const annotations = { [selectedNodeAnnotation]: verdict.node.name };
      this.#parts.api.patch("PersistentVolumeClaim", metadata.name, metadata.namespace, { metadata: { annotations } });
    }
  }

  #bind(pod: Pod, nodeName: string): void {
    const { name, namespace } = pod.metadata;
    const answer = bindPod(this.#parts.api, pod, nodeName);
    if (answer.kind === "refused") return;
    const message = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
    this.#parts.events.record(answer.object, "Normal", "Scheduled", message, schedulerName);
  }

  #bindThoseWithVolumes(): void {
    const { store } = this.#parts.api;
    for (const [key, nodeName] of [...this.#waitingForVolumes]) {
      const pod = store.get("Pod", key);
      if (pod === undefined) continue;
      const claims = claimNamesOf(pod).map((name) =>
        store.get("PersistentVolumeClaim", `${pod.metadata.namespace}/${name}`),
      );
      if (!claims.every((claim) => claim !== undefined && isBound(claim))) continue;
      this.#waitingForVolumes.delete(key);
      this.#bind(pod, nodeName);
    }
  }
}

/** Pods of other schedulers, gated pods and pods on their way out are left alone. */
function isOurs(pod: Pod): boolean {
  return (
    (pod.spec.schedulerName ?? schedulerName) === schedulerName &&
    (pod.spec.schedulingGates ?? []).length === 0 &&
    pod.metadata.deletionTimestamp === undefined
  );
}

function mayHelp(node: Node, before: Node | undefined): boolean {
  return (
    before === undefined ||
    before.metadata.labels !== node.metadata.labels ||
    before.spec !== node.spec ||
    before.status?.allocatable !== node.status?.allocatable
  );
}
