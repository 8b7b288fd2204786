import type { Pod } from "#api/core-v1/pod.ts";
import { parseDuration } from "#api/duration.ts";
import { controllerOf } from "../controllers/ownership.ts";
import { claimNamesOf } from "../controllers/volume-attachment.ts";
import type { Delays } from "../delays.ts";

/** On a pod, for simulations: how long it runs before it succeeds (`90s`), and how long it takes to stop. */
export const runForAnnotation = "simulator.outrigger.dev/run-for";
export const stopAfterAnnotation = "simulator.outrigger.dev/stop-after";

export interface PodTiming {
  readonly startMs: number;
  /** Undefined: it runs until somebody stops it. */
  readonly runMs: number | undefined;
  /** As long as the process itself needs; the grace period may end it sooner. */
  readonly stopMs: number;
}

/** Draws a pod's times. `images` are those the node has; the pod's own are added to them. */
export function podTiming(pod: Pod, images: Set<string>, delays: Delays, random: () => number): PodTiming {
  const between = (min: number, max: number): number => Math.round(min + (max - min) * random());
  let pullMs = 0;
  for (const { image = "" } of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    if (images.has(image)) continue;
    images.add(image);
    pullMs += between(delays.imagePullMsMin, delays.imagePullMsMax);
  }
  const containers = (pod.spec.initContainers ?? []).length + 1;
  const attachMs = claimNamesOf(pod).length === 0 ? 0 : delays.volumeAttachMs;
  const isJob = controllerOf(pod)?.kind === "Job";
  return {
    startMs: attachMs + pullMs + containers * delays.containerStartMs,
    runMs: annotated(pod, runForAnnotation) ?? (isJob ? delays.jobRunMs : undefined),
    stopMs: annotated(pod, stopAfterAnnotation) ?? between(delays.podStopMsMin, delays.podStopMsMax),
  };
}

function annotated(pod: Pod, annotation: string): number | undefined {
  const text = pod.metadata.annotations?.[annotation];
  return text === undefined ? undefined : parseDuration(text);
}
