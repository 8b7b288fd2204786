/** Pods that only their names and ages tell apart: which of them has a place does not matter. */
import type { Pod } from "#api/core-v1/pod.ts";
import { podName } from "../checker/claim-check.ts";

/** Names, those together that only what `specOf` leaves out tells apart. */
export function alike(pods: readonly Pod[], specOf: (pod: Pod) => object): readonly (readonly string[])[] {
  const groups = new Map<string, string[]>();
  for (const pod of pods) {
    const { nodeName: _, ...spec } = { nodeName: undefined, ...specOf(pod) };
    const key = JSON.stringify([pod.metadata.namespace, pod.metadata.labels, spec]);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(podName(pod));
  }
  return [...groups.values()];
}

/** Pods that the others place, of pods alike no more than we place. */
export function podsInBoth(
  pods: readonly Pod[],
  ours: ReadonlySet<string>,
  theirs: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set(
    alike(pods, ({ spec }) => spec).flatMap((names) => {
      const placed = names.filter((name) => theirs.has(name));
      const first = placed.filter((name) => ours.has(name));
      const others = placed.filter((name) => !ours.has(name));
      return [...first, ...others].slice(0, names.filter((name) => ours.has(name)).length);
    }),
  );
}
