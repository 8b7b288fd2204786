/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/nodeclaim.go, FinalizeScheduling, and
 * nodeclaimtemplate.go, ToNodeClaim. It differs in returning data with the reasons beside it.
 */
import type { Resources } from "../../instance-type.ts";
import { add, type Bitset, countOf, emptyBitset, hashOf, intersects, isSame } from "../instance-types/bitset.ts";
import type { InstanceTypeIndex } from "../instance-types/instance-type-index.ts";
import { cheapestFirst } from "../instance-types/price-order.ts";
import { firstPortConflict, type HostPort } from "../pods/host-ports.ts";
import type { RequirementSet } from "../requirements/requirement-set.ts";
import type { Dimensions, ResourceVector } from "../resources/resource-vector.ts";
import { sum } from "../resources/resources.ts";
import type { LaunchChoice, PlannedClaim } from "../solution.ts";
import { driverOfResource } from "../volumes/csi-driver.ts";
import type { CandidatePool } from "./candidate-pool.ts";
import type { ClaimInWork } from "./claim-in-work.ts";
import { type FinalClaim, finalClaim, type PinningRules } from "./reserved-claim.ts";

type Choices = Pick<PlannedClaim, "instanceTypes" | "capacityTypes" | "cheapest" | "runnerUp" | "considered">;

/** Claims with the same requirements and types share the lists that say so. */
export function plannedClaims(
  claims: readonly ClaimInWork[],
  dimensions: Dimensions,
  rules: PinningRules,
): readonly PlannedClaim[] {
  const known = new KnownChoices();
  return claims.map((claim) => {
    const final = finalClaim(claim, rules);
    return plannedAs(claim, final, known.of(claim.pool, final), dimensions);
  });
}

/** Found by a number made of the types, then compared. */
class KnownChoices {
  readonly #byHash = new Map<number, (FinalClaim & { readonly pool: CandidatePool; readonly choices: Choices })[]>();

  of(pool: CandidatePool, final: FinalClaim): Choices {
    const hash = hashOf(final.types);
    let alike = this.#byHash.get(hash);
    if (alike === undefined) {
      alike = [];
      this.#byHash.set(hash, alike);
    }
    const same = alike.find((one) => one.set === final.set && one.pool === pool && isSame(one.types, final.types));
    if (same !== undefined) return same.choices;
    const choices = choicesOf(pool, final.set, final.types);
    alike.push({ ...final, pool, choices });
    return choices;
  }
}

/** The claim as what it shall become. */
export function plannedClaim(claim: ClaimInWork, final: FinalClaim, dimensions: Dimensions): PlannedClaim {
  return plannedAs(claim, final, choicesOf(claim.pool, final.set, final.types), dimensions);
}

function plannedAs(
  claim: ClaimInWork,
  { set, types, minValuesRelaxed }: FinalClaim,
  choices: Choices,
  dimensions: Dimensions,
): PlannedClaim {
  const { pool, pods, hostPorts } = claim;
  const requests = sum(ofPods(claim, dimensions), commonDaemons(pool, types, hostPorts, dimensions));
  return { nodePool: pool.nodePool, requirements: set.requirements, pods, requests, minValuesRelaxed, ...choices };
}

function choicesOf({ index }: CandidatePool, set: RequirementSet, types: Bitset): Choices {
  const ordered = cheapestFirst(types, set, index);
  const [first, second] = ordered;
  const considered = { all: index.types.length, launchable: countOf(index.launchable(set)), fitting: countOf(types) };
  return {
    instanceTypes: ordered.map((type) => index.types[type]?.name ?? ""),
    capacityTypes: index.capacityTypes(
      ordered.length === considered.fitting ? types : bitsetOf(ordered, index.types.length),
      set,
    ),
    cheapest: launchChoice(index, set, first ?? 0),
    runnerUp: second === undefined ? undefined : launchChoice(index, set, second),
    considered,
  };
}

function launchChoice(index: InstanceTypeIndex, set: RequirementSet, type: number): LaunchChoice {
  const offering = index.availableOfferings(type, set)[0];
  return {
    instanceType: index.types[type]?.name ?? "",
    zone: offering?.zone ?? "",
    capacityType: offering?.capacityType ?? "",
    pricePerHour: offering?.pricePerHour ?? 0,
  };
}

function bitsetOf(types: readonly number[], size: number): Bitset {
  const bits = emptyBitset(size);
  for (const type of types) add(bits, type);
  return bits;
}

/** Without volumes to attach: no node names them among its resources. */
function ofPods({ requests }: ClaimInWork, dimensions: Dimensions): Resources {
  const all = Object.entries(dimensions.resourcesOf(requests));
  return Object.fromEntries(all.filter(([name]) => driverOfResource(name) === undefined));
}

/** What daemons take on each of the claim's types at least. */
function commonDaemons(
  pool: CandidatePool,
  types: Bitset,
  hostPorts: readonly HostPort[],
  dimensions: Dimensions,
): Resources {
  let least: ResourceVector | undefined;
  for (const group of pool.groups) {
    if (firstPortConflict(group.hostPorts, hostPorts) !== undefined || !intersects(types, group.types)) continue;
    least = least?.map((amount, d) => Math.min(amount, group.overhead[d] ?? 0)) ?? group.overhead;
  }
  return least === undefined ? {} : dimensions.resourcesOf(least);
}
