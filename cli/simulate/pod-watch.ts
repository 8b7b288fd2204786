import type { Pod } from "#api/core-v1/pod.ts";
import type { VirtualClock } from "#simulator/virtual-clock.ts";
import { podCounts, podCountsText } from "./pod-counts.ts";

/** What changes at about the same time is one line; and a line comes at most so often, ms. */
const settleMs = 500;
const apartMs = 3_000;

interface PodSource {
  readonly list: (kind: "Pod") => readonly Pod[];
  readonly listen: (listener: (change: { readonly object: { readonly kind: string } }) => void) => unknown;
}

/** Calls `tell` with the counts of pods soon after they have become others. */
export function watchPods(source: PodSource, clock: VirtualClock, tell: (text: string) => void): void {
  const count = (): string => podCountsText(podCounts(source.list("Pod")));
  let told = count();
  let nextMs = clock.nowMs();
  let waiting = false;
  source.listen(({ object }) => {
    if (waiting || object.kind !== "Pod") return;
    waiting = true;
    clock.at(Math.max(clock.nowMs() + settleMs, nextMs), () => {
      waiting = false;
      const text = count();
      if (text === told) return;
      tell(text);
      told = text;
      nextMs = clock.nowMs() + apartMs;
    });
  });
}
