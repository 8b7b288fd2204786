import type { Pod } from "#api/core-v1/pod.ts";
import { parseTime } from "#api/time.ts";
import type { TickReport } from "#ports/telemetry.ts";
import type { Sample } from "./sample.ts";

interface Waiting {
  readonly isBound: boolean;
  /** When the first decision gave it a place, ms; undefined: none has. */
  readonly decidedMs: number | undefined;
}

/**
 * How long pods take, from one look to the next of one invocation: what happened while nobody looked is in none of them,
 * and nothing is counted twice, since one invocation looks at a time. Karpenter keeps the same in memory, and loses it
 * when its controller ends.
 */
export class PodTimes {
  #waiting = new Map<string, Waiting>();

  /** The invocation is over; pods that start until the next one are in nobody's view. */
  forget(): void {
    this.#waiting = new Map();
  }

  samples({ snapshot: { cluster, nowMs }, decisions }: TickReport): readonly Sample[] {
    const before = this.#waiting;
    this.#waiting = new Map();
    const placed = new Set(
      decisions.flatMap(({ decision }) =>
        decision.reasons.flatMap(({ about, code }) =>
          code.startsWith("pod-placed-on-") ? [`${about.namespace ?? "default"}/${about.name}`] : [],
        ),
      ),
    );
    return cluster.pods.flatMap((pod) => {
      const { uid = "", name, namespace = "default" } = pod.metadata;
      const was = before.get(uid);
      const isBound = pod.spec.nodeName !== undefined;
      if (!isReady(pod) && pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed") {
        const decidedMs = was?.decidedMs ?? (placed.has(`${namespace}/${name}`) ? nowMs : undefined);
        this.#waiting.set(uid, { isBound, decidedMs });
      }
      return was === undefined ? [] : [...boundSamples(pod, was), ...startSamples(pod, was)];
    });
  }
}

function boundSamples(pod: Pod, was: Waiting): readonly Sample[] {
  if (was.isBound || pod.spec.nodeName === undefined) return [];
  return durations(pod, conditionMs(pod, "PodScheduled"), was, "bound");
}

function startSamples(pod: Pod, was: Waiting): readonly Sample[] {
  return isReady(pod) ? durations(pod, conditionMs(pod, "Ready"), was, "startup") : [];
}

function durations(pod: Pod, atMs: number | undefined, { decidedMs }: Waiting, what: string): readonly Sample[] {
  if (atMs === undefined) return [];
  const sample = (name: string, fromMs: number | undefined): readonly Sample[] =>
    fromMs === undefined ? [] : [{ name, labels: {}, value: Math.max(0, atMs - fromMs) / 1000 }];
  return [
    ...sample(`karpenter_pods_${what}_duration_seconds`, parseTime(pod.metadata.creationTimestamp)),
    ...sample(`karpenter_pods_provisioning_${what}_duration_seconds`, decidedMs),
  ];
}

function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.find(({ type }) => type === "Ready")?.status === "True";
}

function conditionMs(pod: Pod, wanted: string): number | undefined {
  const found = pod.status?.conditions?.find(({ type, status }) => type === wanted && status === "True");
  return parseTime(found?.lastTransitionTime);
}
