/**
 * The order of Karpenter's queue: pods of equal size by age, whatever their class. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/queue.go. It differs: neighbours of one class are placed together.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { ClassInWork } from "./class-in-work.ts";
import { byAge } from "./pod-age.ts";

/** The pods that wait, cut into runs of one class. `classes`: by size. */
export function runsInQueue(classes: readonly ClassInWork[]): readonly ClassInWork[] {
  const runs: ClassInWork[] = [];
  for (let from = 0; from < classes.length; ) {
    const to = endOfSize(classes, from);
    runs.push(...runsOfSize(classes.slice(from, to)));
    from = to;
  }
  return runs;
}

/** Pods that the runs left are left by their classes. */
export function gather(classes: readonly ClassInWork[], runs: readonly ClassInWork[]): void {
  for (const one of classes) {
    const own = runs.filter(({ podClass }) => podClass === one.podClass);
    one.waiting = own.flatMap(({ waiting }) => waiting);
    one.deferred = own.some(({ deferred, waiting }) => deferred && waiting.length > 0);
  }
}

function endOfSize(classes: readonly ClassInWork[], from: number): number {
  let to = from + 1;
  while (to < classes.length && isOfSize(classes[from], classes[to])) to++;
  return to;
}

function isOfSize(a: ClassInWork | undefined, b: ClassInWork | undefined): boolean {
  const [first, second] = [a?.podClass.requests, b?.podClass.requests];
  return first?.cpu === second?.cpu && first?.memory === second?.memory;
}

function runsOfSize(classes: readonly ClassInWork[]): readonly ClassInWork[] {
  const [only] = classes;
  if (only !== undefined && classes.length === 1) return [{ ...only }];
  const queue = classes.flatMap((one) => one.waiting.map((pod) => ({ one, pod })));
  const runs: { readonly one: ClassInWork; readonly pods: Pod[] }[] = [];
  for (const { one, pod } of queue.sort((a, b) => byAge(a.pod, b.pod))) {
    const last = runs.at(-1);
    if (last?.one === one) last.pods.push(pod);
    else runs.push({ one, pods: [pod] });
  }
  return runs.map(({ one, pods }) => ({ ...one, waiting: pods }));
}
