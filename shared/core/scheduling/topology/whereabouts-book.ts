/**
 * Where nodes and claims are or can come to be, found once for each set of requirements of a NodePool. Karpenter
 * counterpart: none, because it reads domains from requirements each time.
 */
import type { Taint } from "#api/core-v1/pod.ts";
import type { Labels } from "#api/label-selector.ts";
import type { CandidatePool } from "../claims/candidate-pool.ts";
import type { ExistingNode } from "../nodes/existing-node.ts";
import type { RequirementSet, RequirementSets } from "../requirements/requirement-set.ts";
import type { Requirements } from "../requirements/requirements.ts";
import { PoolDomains } from "./pool-domains.ts";
import type { TopologyKey, TopologyKeys } from "./topology-key.ts";
import type { Whereabouts } from "./whereabouts.ts";

export class WhereaboutsBook {
  readonly poolDomains = new PoolDomains();
  readonly #keys: TopologyKeys;
  readonly #sets: RequirementSets;
  readonly #ofSets = new Map<CandidatePool, Map<number, Whereabouts>>();

  constructor(keys: TopologyKeys, sets: RequirementSets) {
    this.#keys = keys;
    this.#sets = sets;
  }

  ofLabels(labels: Labels, taints: readonly Taint[]): Whereabouts {
    const domains = this.#keys.list.map((key) => {
      const value = Object.hasOwn(labels, key.name) ? labels[key.name] : undefined;
      return value === undefined ? [] : [key.domainOf(value)];
    });
    return { domains, is: { kind: "labels", labels }, taints, passes: new Map(), noted: false };
  }

  /** Of a claim that was made earlier and is not launched yet. */
  ofNode({ is, taints }: ExistingNode): Whereabouts {
    if ("labels" in is) return this.ofLabels(is.labels, taints);
    const { requirements } = is;
    const domains = this.#keys.list.map((key) => this.#openDomains(key, requirements));
    return { domains, is: { kind: "requirements", requirements }, taints, passes: new Map(), noted: false };
  }

  /** Of a claim of this batch. */
  ofSet(pool: CandidatePool, set: RequirementSet): Whereabouts {
    let bySet = this.#ofSets.get(pool);
    if (bySet === undefined) {
      bySet = new Map();
      this.#ofSets.set(pool, bySet);
    }
    const known = bySet.get(set.id);
    if (known !== undefined) return known;
    const domains = this.#keys.list.map((key) => this.poolDomains.of(pool, set, key));
    const is = { kind: "set" as const, set, pool };
    const made: Whereabouts = { domains, is, taints: pool.taints, passes: new Map(), noted: false };
    bySet.set(set.id, made);
    return made;
  }

  #openDomains(key: TopologyKey, requirements: Requirements): readonly number[] {
    const requirement = requirements.get(key.name);
    if (requirement !== undefined && !requirement.complement) {
      return requirement.values.map((value) => key.domainOf(value));
    }
    return this.#sets.mayBeUndefined(key.name) ? [...key.values.keys()] : [];
  }
}
