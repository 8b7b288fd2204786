/**
 * Pods that scheduling cannot tell apart form one class; each rule is looked at once a class, and a pod costs a few texts
 * and map look-ups. Labels count as far as some rule between pods reads them. Karpenter counterpart: none; its PodData
 * (scheduling/scheduler.go) is made for every pod.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { ClassCompiler } from "./class-compiler.ts";
import { byAge } from "./pod-age.ts";
import type { ClassContext, PodClass } from "./pod-class.ts";
import { rulesTextOf } from "./pod-shape.ts";
import { labelKeysOfRules } from "./topology/pod-rules.ts";

/**
 * The classes in the order in which they are placed: much CPU first, then much memory (as Karpenter's queue), then the
 * class of the oldest pod. Pods within a class and the order do not depend on the order of `pods`.
 */
export function podClasses(pods: readonly Pod[], context: ClassContext): readonly PodClass[] {
  const rulesTexts = pods.map(({ spec }) => rulesTextOf(spec));
  const compiler = new ClassCompiler(context, labelKeysOf(pods, rulesTexts, context));
  const classes = new Map<string, { readonly made: Omit<PodClass, "pods">; readonly pods: Pod[] }>();
  for (const [i, pod] of pods.entries()) {
    const parts = compiler.partsOf(pod, rulesTexts[i] ?? "");
    const known = classes.get(parts.text);
    if (known !== undefined) known.pods.push(pod);
    else classes.set(parts.text, { made: compiler.classOf(parts), pods: [pod] });
  }
  return [...classes.values()]
    .map(({ made, pods: members }) => ({ ...made, pods: sorted(members, byAge) }))
    .sort(byDemand);
}

function byDemand(a: PodClass, b: PodClass): number {
  const [first, second] = [a.pods[0], b.pods[0]];
  return (
    (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0) ||
    (b.requests.memory ?? 0) - (a.requests.memory ?? 0) ||
    (first === undefined || second === undefined ? 0 : byAge(first, second))
  );
}

/** Keys that some rule between pods reads, sorted; undefined when there is no such rule. */
function labelKeysOf(
  pods: readonly Pod[],
  rulesTexts: readonly string[],
  { labelKeys }: ClassContext,
): readonly string[] | undefined {
  const keys = new Set(labelKeys);
  const seen = new Set<string>();
  for (const [i, { spec }] of pods.entries()) {
    const text = rulesTexts[i] ?? "";
    if (text === "" || seen.has(text)) continue;
    seen.add(text);
    for (const key of labelKeysOfRules(spec)) keys.add(key);
  }
  return labelKeys === undefined && seen.size === 0 ? undefined : [...keys].sort();
}

/** Lists mostly come sorted. */
function sorted<T>(items: T[], order: (a: T, b: T) => number): readonly T[] {
  const isSorted = items.every((item, i) => i === 0 || order(items[i - 1] ?? item, item) <= 0);
  return isSorted ? items : items.sort(order);
}
