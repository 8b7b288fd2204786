import type { Json } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { formatTime } from "#api/time.ts";
import { isTerminal } from "../controllers/ownership.ts";
import type { Parts } from "../parts.ts";
import { podTiming } from "./pod-timing.ts";

/** Runs the pods that are bound to living, Ready nodes: starts them, lets them end, stops them. */
export class PodRunner {
  readonly #parts: Parts;
  readonly #isAlive: (nodeName: string) => boolean;
  readonly #readyNodes = new Set<string>();
  /** Images by node; what was pulled once is there. */
  readonly #images = new Map<string, Set<string>>();
  /** UIDs of pods that were started or are being stopped; forgotten when the pod is gone. */
  readonly #started = new Set<string>();
  readonly #stopping = new Map<string, number>();

  constructor(parts: Parts, isAlive: (nodeName: string) => boolean) {
    this.#parts = parts;
    this.#isAlive = isAlive;
    parts.api.store.listen(({ object, type }) => {
      if (object.kind !== "Pod") return;
      const uid = object.metadata.uid ?? "";
      if (type === "DELETED") {
        this.#started.delete(uid);
        this.#stopping.delete(uid);
      } else this.#look(object as Pod);
    });
  }

  nodeIsReady(nodeName: string): void {
    this.#readyNodes.add(nodeName);
    for (const pod of this.#parts.api.store.podsOnNode(nodeName)) this.#look(pod);
  }

  nodeIsGone(nodeName: string): void {
    this.#readyNodes.delete(nodeName);
    this.#images.delete(nodeName);
  }

  #look(pod: Pod): void {
    const { nodeName } = pod.spec;
    if (nodeName === undefined || !this.#isAlive(nodeName)) return;
    if (pod.metadata.deletionTimestamp !== undefined) this.#stop(pod, nodeName);
    else if (this.#readyNodes.has(nodeName) && !isTerminal(pod)) this.#start(pod, nodeName);
  }

  #start(pod: Pod, nodeName: string): void {
    const uid = pod.metadata.uid ?? "";
    if (this.#started.has(uid)) return;
    this.#started.add(uid);
    const { clock, delays, random } = this.#parts;
    if (pod.status?.phase === "Running") {
      this.#endLater(pod);
      return;
    }
    const startTime = formatTime(clock.nowMs());
    const timing = podTiming(pod, this.#imagesOn(nodeName), delays, random);
    clock.after(timing.startMs, () => {
      const current = this.#current(pod);
      if (current === undefined || current.metadata.deletionTimestamp !== undefined || !this.#isAlive(nodeName)) return;
      this.#write(current, runningStatus(current, startTime, formatTime(clock.nowMs())));
      this.#endLater(current);
    });
  }

  /** Pods of Jobs, and those whose annotation says so, succeed after their time. */
  #endLater(pod: Pod): void {
    const { clock, delays, random } = this.#parts;
    const { runMs } = podTiming(pod, new Set(), delays, random);
    if (runMs === undefined) return;
    clock.after(runMs, () => {
      const current = this.#current(pod);
      const alive = current?.spec.nodeName !== undefined && this.#isAlive(current.spec.nodeName);
      if (current === undefined || !alive || isTerminal(current)) return;
      const now = formatTime(clock.nowMs());
      const conditions = setCondition(setCondition(current, "Ready", "False", now), "ContainersReady", "False", now);
      this.#write(current, { phase: "Succeeded", conditions: conditions.status?.conditions as unknown as Json });
    });
  }

  #stop(pod: Pod, nodeName: string): void {
    const { clock, delays, random } = this.#parts;
    const uid = pod.metadata.uid ?? "";
    const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    const known = this.#stopping.get(uid);
    const stopMs = podTiming(pod, new Set(), delays, random).stopMs;
    const atMs = Math.min(known ?? Number.POSITIVE_INFINITY, clock.nowMs() + Math.min(graceMs, stopMs));
    if (known !== undefined && atMs >= known) return;
    this.#stopping.set(uid, atMs);
    clock.at(atMs, () => {
      if (!this.#isAlive(nodeName)) return;
      const { name, namespace } = pod.metadata;
      this.#parts.api.delete("Pod", name, namespace, { gracePeriodSeconds: 0, uid });
    });
  }

  #imagesOn(nodeName: string): Set<string> {
    const images = this.#images.get(nodeName) ?? new Set<string>();
    this.#images.set(nodeName, images);
    return images;
  }

  /** The pod as it is now, unless another took its name. */
  #current(pod: Pod): Pod | undefined {
    const current = this.#parts.api.store.get("Pod", `${pod.metadata.namespace}/${pod.metadata.name}`);
    return current?.metadata.uid === pod.metadata.uid ? current : undefined;
  }

  #write(pod: Pod, status: Json): void {
    this.#parts.api.patchStatus("Pod", pod.metadata.name, pod.metadata.namespace, status);
  }
}

function runningStatus(pod: Pod, startTime: string, now: string): Json {
  let next = pod;
  for (const type of ["Initialized", "ContainersReady", "Ready"]) next = setCondition(next, type, "True", now);
  return {
    phase: "Running",
    startTime,
    conditions: next.status?.conditions as unknown as Json,
    containerStatuses: pod.spec.containers.map(({ name, image = "" }) => ({
      name,
      image,
      imageID: image,
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: now } },
    })),
  };
}

function setCondition(pod: Pod, type: string, status: "True" | "False", now: string): Pod {
  const others = (pod.status?.conditions ?? []).filter((condition) => condition.type !== type);
  const conditions = [...others, { type, status, lastTransitionTime: now }];
  return { ...pod, status: { ...pod.status, conditions } };
}
