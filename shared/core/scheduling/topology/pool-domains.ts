/**
 * The domains in which a NodePool could make nodes. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/topologydomaingroup.go and topology.go, buildDomainGroups. It differs: a domain
 * needs an available offering, and counts for a pod only when the pod could use a node there.
 */
import { capacityTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { Offering } from "../../instance-type.ts";
import type { CandidatePool } from "../claims/candidate-pool.ts";
import { indicesOf } from "../instance-types/bitset.ts";
import { allowsValue, type Requirement } from "../requirements/requirement.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import type { TopologyKey } from "./topology-key.ts";

export class PoolDomains {
  readonly #known = new Map<string, readonly number[]>();

  /** Of nodes of the pool that meet `set`; in the order of their values. */
  of(pool: CandidatePool, set: RequirementSet, key: TopologyKey): readonly number[] {
    const text = `${pool.nodePool.metadata.name} ${set.id} ${key.index}`;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const domains = [...valuesOf(pool, set, key.name)].sort().map((value) => key.domainOf(value));
    this.#known.set(text, domains);
    return domains;
  }
}

function valuesOf(pool: CandidatePool, set: RequirementSet, key: string): readonly string[] {
  const kinds = pool.index.offeringKinds(set);
  const ofOfferings = new Set(kinds.flatMap((kind) => valuesIn(kind, key)));
  const values = ofOfferings.size > 0 || kinds.length === 0 ? ofOfferings : valuesOfTypes(pool, set, key);
  const asked = set.requirements.get(key);
  return asked === undefined ? [...values] : [...values].filter((value) => allowsValue(asked, value));
}

function valuesIn({ zone, capacityType, requirements }: Offering, key: string): readonly string[] {
  if (key === zoneLabel) return [zone];
  if (key === capacityTypeLabel) return [capacityType];
  return requirements?.find((one) => one.key === key)?.values ?? [];
}

/** A label that no offering says anything about: the types do, or the set. */
function valuesOfTypes({ index }: CandidatePool, set: RequirementSet, key: string): ReadonlySet<string> {
  const values = new Set<string>();
  const otherwise = listed(set.requirements.get(key)) ?? [];
  for (const type of indicesOf(index.launchable(set))) {
    for (const value of listed(index.labelOf(type, key)) ?? otherwise) values.add(value);
  }
  return values;
}

/** A label that a NodePool leaves open has no value yet, and so is no domain. */
function listed(requirement: Requirement | undefined): readonly string[] | undefined {
  return requirement === undefined || requirement.complement ? undefined : requirement.values;
}
