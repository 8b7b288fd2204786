/**
 * Pods that scheduling cannot tell apart form one class; each rule is looked at once a class, and a pod costs a few texts
 * and map look-ups. Labels count as far as some rule between pods reads them. Karpenter counterpart: none; its PodData
 * (scheduling/scheduler.go) is made for every pod.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { labelKeysOfRules } from "../topology/pod-rules.ts";
import { ClassCompiler, noRules } from "./class-compiler.ts";
import { byAge } from "./pod-age.ts";
import type { ClassContext, PodClass } from "./pod-class.ts";
import { rulesTextOf } from "./pod-shape.ts";

/**
 * The classes in the order in which they are placed: much CPU first, then much memory (as Karpenter's queue), then the
 * class of the oldest pod. Pods within a class and the order do not depend on the order of `pods`.
 */
export function podClasses(pods: readonly Pod[], context: ClassContext): readonly PodClass[] {
  const rules = rulesOf(pods);
  const compiler = new ClassCompiler(context, labelKeysOf(rules.examples, context));
  const classes = new Map<number, { readonly made: Omit<PodClass, "pods">; readonly pods: Pod[] }>();
  for (let i = 0; i < pods.length; i++) {
    const pod = pods[i];
    if (pod === undefined) continue;
    const parts = compiler.partsOf(pod, rules.numbers[i] ?? noRules);
    const known = classes.get(parts.number);
    if (known !== undefined) known.pods.push(pod);
    else classes.set(parts.number, { made: compiler.classOf(parts), pods: [pod] });
  }
  return [...classes.values()]
    .map(({ made, pods: members }) => ({ ...made, pods: sorted(members, byAge) }))
    .sort(byDemand);
}

/** Which pods state the same rules between pods, by number; `examples`: one of each that states any. */
function rulesOf(pods: readonly Pod[]): { readonly numbers: Int32Array; readonly examples: readonly Pod[] } {
  const numbers = new Int32Array(pods.length);
  const known = new Map([["", noRules]]);
  const examples: Pod[] = [];
  for (let i = 0; i < pods.length; i++) {
    const pod = pods[i];
    if (pod === undefined) continue;
    const text = rulesTextOf(pod.spec);
    let number = known.get(text);
    if (number === undefined) {
      number = known.size;
      known.set(text, number);
      examples.push(pod);
    }
    numbers[i] = number;
  }
  return { numbers, examples };
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
function labelKeysOf(stating: readonly Pod[], { labelKeys }: ClassContext): readonly string[] | undefined {
  if (labelKeys === undefined && stating.length === 0) return undefined;
  const keys = new Set(labelKeys);
  for (const { spec } of stating) for (const key of labelKeysOfRules(spec)) keys.add(key);
  return [...keys].sort();
}

/** Lists mostly come sorted. */
function sorted<T>(items: T[], order: (a: T, b: T) => number): readonly T[] {
  if (items.length <= 1) return items;
  const isSorted = items.every((item, i) => i === 0 || order(items[i - 1] ?? item, item) <= 0);
  return isSorted ? items : items.sort(order);
}
