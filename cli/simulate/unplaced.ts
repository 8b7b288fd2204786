import type { Pod } from "#api/core-v1/pod.ts";
import { objectName } from "#core/object-ref.ts";
import type { Reason, ReasonCode } from "#core/reason.ts";
import type { Unplaced } from "./result.ts";

const placed: ReadonlySet<ReasonCode> = new Set([
  "pod-placed-on-node",
  "pod-placed-on-claim",
  "pod-placed-on-new-claim",
]);

/** Kubernetes: DefaultSchedulerName. */
export const usualScheduler = "default-scheduler";

/** Remembers what was last said of each pod's place. */
export class PlacementReasons {
  readonly #last = new Map<string, string>();
  readonly #placed = new Set<string>();

  /** Answers what is news: a pod that has its place hears of it at every tick until it is bound. */
  hear(reasons: readonly Reason[]): readonly Reason[] {
    return reasons.filter((reason) => reason.about.kind !== "Pod" || this.#isNews(reason));
  }

  #isNews({ about, code, message }: Reason): boolean {
    const pod = objectName(about);
    const hadPlace = this.#placed.has(pod);
    if (placed.has(code)) this.#placed.add(pod);
    else if (code === "pod-unschedulable" || code === "pod-ignored") this.#placed.delete(pod);
    else return true;
    this.#last.set(pod, message);
    return !(hadPlace && placed.has(code));
  }

  /** Pods without a node that want one, by name. */
  unplaced(pods: readonly Pod[]): readonly Unplaced[] {
    return pods
      .filter(({ metadata, spec, status }) => {
        const finished = status?.phase === "Succeeded" || status?.phase === "Failed";
        return spec.nodeName === undefined && metadata.deletionTimestamp === undefined && !finished;
      })
      .map((pod) => ({ pod: objectName(pod.metadata), reason: this.#reasonOf(pod) }))
      .sort((a, b) => (a.pod < b.pod ? -1 : 1));
  }

  #reasonOf(pod: Pod): string {
    const gates = pod.spec.schedulingGates ?? [];
    if (gates.length > 0) return `it waits for its scheduling gate ${gates.map(({ name }) => name).join(", ")}`;
    const { schedulerName = usualScheduler } = pod.spec;
    if (schedulerName !== usualScheduler) return `left to scheduler ${schedulerName}, which does not run here`;
    const name = objectName(pod.metadata);
    const scheduled = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    const refusal = scheduled?.status === "False" ? scheduled.message : undefined;
    const last = this.#last.get(name);
    // A place was found, and the one who binds pods does not take it: only its own words say why.
    const isRefused = this.#placed.has(name) && last !== undefined && refusal !== undefined;
    if (isRefused) return `${last}, but the scheduler refuses: ${refusal}`;
    return last ?? refusal ?? "nobody has looked at it yet";
  }
}

/** At most so many different reasons are printed; `--json` has all. */
const reasonsMax = 20;

/** One line a reason: which pods, and why. */
export function unplacedLines(unplaced: readonly Unplaced[]): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const { pod, reason } of unplaced) {
    // The same reason names its own pod in each pod's text.
    const key = reason.replaceAll(pod, "{pod}");
    const pods = byReason.get(key);
    if (pods === undefined) byReason.set(key, [pod]);
    else pods.push(pod);
  }
  const lines = [...byReason].slice(0, reasonsMax).map(([reason, [first = "", ...others]]) => {
    const names = others.length === 0 ? `Pod ${first}` : `Pod ${first} and ${others.length} more`;
    return `${names}: ${reason.replaceAll("{pod}", first)}`;
  });
  return byReason.size <= reasonsMax
    ? lines
    : [...lines, `… and ${byReason.size - reasonsMax} more reasons (--json has all)`];
}
