/**
 * How many claims may ask for an offering that was refused a short while ago. Karpenter counterpart: none; when the entry
 * of an unavailable offering ends, every waiting pod's claim asks for it at once. Here one claim tries, and twice as many
 * as were launched since may follow: what is there again is used within a few ticks, what is not costs one launch.
 */
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseTime } from "#api/time.ts";
import { conditionOf } from "../condition.ts";
import type { InstanceType } from "../instance-type.ts";
import { launched } from "../nodeclaim/conditions.ts";
import type { PoolInput } from "../scheduling/claims/candidate-pool.ts";
import { allowsValue } from "../scheduling/requirements/requirement.ts";
import type { PlannedClaim } from "../scheduling/solution.ts";
import type { State } from "../state/state-patch.ts";
import { keyOfOffering, type OfferingName, refusedLately } from "../state/unavailable-offerings.ts";

const namedMax = 3;

export class LaunchBudget {
  /** When its last refusal ended, ms, by the offering's key. */
  readonly #since: ReadonlyMap<string, number>;
  readonly #left = new Map<string, number>();
  readonly #types = new Map<string, InstanceType>();

  constructor(state: State, claims: readonly NodeClaim[], pools: readonly PoolInput[], nowMs: number) {
    this.#since = refusedLately(state, nowMs);
    if (this.#since.size === 0) return;
    for (const key of this.#since.keys()) this.#left.set(key, 1);
    for (const { instanceTypes } of pools) for (const type of instanceTypes) this.#types.set(type.name, type);
    for (const claim of claims) this.#count(claim);
  }

  /** Takes the claim's share of what is left; a text: why it must wait. */
  refusalOf(claim: PlannedClaim): string | undefined {
    if (this.#since.size === 0) return undefined;
    const offerings = this.#offeringsOf(claim);
    const keys = offerings.map(keyOfOffering);
    // Another offering may serve it: those that are not to be had are learned of one by one.
    if (keys.length === 0 || keys.some((key) => !this.#since.has(key))) return undefined;
    if (!keys.some((key) => (this.#left.get(key) ?? 0) > 0)) return waiting(offerings);
    for (const key of keys) this.#add(key, -1);
    return undefined;
  }

  /** A claim launched since allows two more; one that is on its way takes one. */
  #count(claim: NodeClaim): void {
    const condition = conditionOf(claim, launched);
    if (condition?.status === "True") {
      const key = keyOfOffering(launchedAs(claim));
      const since = this.#since.get(key);
      if (since !== undefined && (parseTime(condition.lastTransitionTime) ?? 0) >= since) this.#add(key, 2);
    } else if (claim.metadata.deletionTimestamp === undefined) {
      const names = claim.spec.requirements.find(({ key }) => key === instanceTypeLabel)?.values ?? [];
      for (const key of this.#since.keys()) if (names.some((name) => key.includes(`.${name}.`))) this.#add(key, -1);
    }
  }

  #add(key: string, count: number): void {
    this.#left.set(key, (this.#left.get(key) ?? 0) + count);
  }

  #offeringsOf({ instanceTypes, capacityTypes, requirements }: PlannedClaim): readonly OfferingName[] {
    const zones = requirements.get(zoneLabel);
    return instanceTypes.flatMap((instanceType) =>
      (this.#types.get(instanceType)?.offerings ?? [])
        .filter(({ available, capacityType }) => available && capacityTypes.includes(capacityType))
        .filter(({ zone }) => zones === undefined || allowsValue(zones, zone))
        .map(({ zone, capacityType }) => ({ instanceType, zone, capacityType })),
    );
  }
}

function launchedAs({ metadata: { labels = {} } }: NodeClaim): OfferingName {
  return {
    instanceType: labels[instanceTypeLabel] ?? "",
    zone: labels[zoneLabel] ?? "",
    capacityType: labels[capacityTypeLabel] ?? "",
  };
}

function waiting(offerings: readonly OfferingName[]): string {
  const named = offerings
    .slice(0, namedMax)
    .map(({ instanceType, capacityType, zone }) => `${instanceType} ${capacityType} in ${zone}`);
  const more = offerings.length > namedMax ? ` and ${offerings.length - namedMax} more` : "";
  return `the cloud had none of its offerings a short while ago (${named.join(", ")}${more}): one claim tries first, more follow when it is launched`;
}
