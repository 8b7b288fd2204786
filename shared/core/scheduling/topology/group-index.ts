/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/topology.go, Record, which asks every group for every
 * pod. It differs: groups are found by what a pod is labelled.
 */
import { labelOf } from "#api/label-selector.ts";
import type { DomainCounts } from "./domain-counts.ts";
import { anchorText, type PodIdentity } from "./pod-selector.ts";

/**
 * Which counts mean a pod. Most selectors ask for a label with one value, so only those that name one of the pod's labels
 * are looked at; pods that look alike to all selectors share the answer. Karpenter counterpart: none; it asks every group for
 * every pod.
 */
export class GroupIndex {
  readonly #byAnchor = new Map<string, DomainCounts[]>();
  readonly #others: DomainCounts[] = [];
  readonly #keys: readonly string[];
  readonly #answers = new Map<string, readonly DomainCounts[]>();
  readonly #byIdentity = new Map<PodIdentity, readonly DomainCounts[]>();

  /** `keys`: the label keys that selectors read. */
  constructor(groups: readonly DomainCounts[], keys: readonly string[]) {
    this.#keys = keys;
    for (const group of groups) {
      const { anchor } = group.selector;
      const list = anchor === undefined ? this.#others : (this.#byAnchor.get(anchor) ?? []);
      list.push(group);
      if (anchor !== undefined) this.#byAnchor.set(anchor, list);
    }
  }

  meaning(pod: PodIdentity): readonly DomainCounts[] {
    let answer = this.#byIdentity.get(pod);
    if (answer === undefined) {
      answer = this.#meaning(pod);
      this.#byIdentity.set(pod, answer);
    }
    return answer;
  }

  #meaning(pod: PodIdentity): readonly DomainCounts[] {
    const text = identityText(pod, this.#keys);
    const known = this.#answers.get(text);
    if (known !== undefined) return known;
    const answer = this.#others.filter(({ selector }) => selector.selects(pod));
    for (const key of this.#keys) {
      const value = labelOf(pod.labels, key);
      if (value === undefined) continue;
      for (const group of this.#byAnchor.get(anchorText(key, value)) ?? []) {
        if (group.selector.selects(pod)) answer.push(group);
      }
    }
    this.#answers.set(text, answer);
    return answer;
  }
}

/** Equal for pods that selectors reading these keys cannot tell apart. */
export function identityText({ namespace, labels }: PodIdentity, keys: readonly string[]): string {
  let text = namespace;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? "";
    const value = labelOf(labels, key);
    // Neither keys nor values contain these signs.
    if (value !== undefined) text += `;${key}=${value}`;
  }
  return text;
}
