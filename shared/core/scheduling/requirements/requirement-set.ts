/**
 * Every requirement set of a problem exists once and has a number, so that a question asked about two sets is answered
 * once and looked up afterwards. Thousands of pods share a handful of sets. Karpenter counterpart: none, because it
 * compares requirements anew for each question.
 */
import { intersect, isImpossible, isWithin, type Requirement } from "./requirement.ts";
import { keyOfRequirements, type Requirements } from "./requirements.ts";

export interface RequirementSet {
  readonly id: number;
  readonly requirements: Requirements;
  /** Canonical text: orders sets and is equal for equal ones. */
  readonly text: string;
}

export class RequirementSets {
  readonly #mayBeUndefined: ReadonlySet<string>;
  readonly #byText = new Map<string, RequirementSet>();
  readonly #narrowed = new Map<number, Map<number, RequirementSet | undefined>>();

  /** `wellKnownLabels` may get any value on a node that does not exist yet. */
  constructor(wellKnownLabels: Iterable<string>) {
    this.#mayBeUndefined = new Set(wellKnownLabels);
  }

  intern(requirements: Requirements): RequirementSet {
    const text = keyOfRequirements(requirements);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    const set = { id: this.#byText.size, requirements, text };
    this.#byText.set(text, set);
    return set;
  }

  mayBeUndefined(key: string): boolean {
    return this.#mayBeUndefined.has(key);
  }

  /**
   * The requirements of a node to be made that already has `node`'s and shall take a pod with `pod`'s; undefined when
   * no such node can be. A custom label that the node does not define stays missing: the pod must allow that.
   * Karpenter: Requirements.Compatible with AllowUndefinedWellKnownLabels, then Add.
   */
  narrow(node: RequirementSet, pod: RequirementSet): RequirementSet | undefined {
    let answers = this.#narrowed.get(node.id);
    if (answers === undefined) {
      answers = new Map();
      this.#narrowed.set(node.id, answers);
    }
    if (answers.has(pod.id)) return answers.get(pod.id);
    const answer = this.#narrow(node, pod);
    answers.set(pod.id, answer);
    return answer;
  }

  /** Whatever a node with the requirements `node` turns out to be, the pod can run there. */
  isSureToMeet(node: Requirements, pod: Requirements): boolean {
    for (const wanted of pod.values()) {
      const given = node.get(wanted.key);
      const met =
        given === undefined ? wanted.absent && !this.#mayBeUndefined.has(wanted.key) : isWithin(given, wanted);
      if (!met) return false;
    }
    return true;
  }

  #narrow(node: RequirementSet, pod: RequirementSet): RequirementSet | undefined {
    const result = new Map(node.requirements);
    for (const requirement of pod.requirements.values()) {
      const before = result.get(requirement.key);
      if (before === undefined && !this.#mayBeUndefined.has(requirement.key)) {
        if (!requirement.absent) return undefined;
        continue;
      }
      const after: Requirement = before === undefined ? requirement : intersect(before, requirement);
      if (isImpossible(after)) return undefined;
      result.set(requirement.key, after);
    }
    return this.intern(result);
  }
}
