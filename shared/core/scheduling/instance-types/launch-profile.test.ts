import { describe, expect, test } from "vitest";
import { daemonSet, instanceType, nodePool, sizes } from "../../../../test/support/scheduling-objects.ts";
import type { InstanceType } from "../../instance-type.ts";
import { candidatePool } from "../claims/candidate-pool.ts";
import { RequirementSets } from "../requirements/requirement-set.ts";
import { daemonsOf } from "../resources/daemon-overhead.ts";
import { Dimensions } from "../resources/resource-vector.ts";
import { InstanceTypeIndex } from "./instance-type-index.ts";
import type { LaunchProfile } from "./launch-profile.ts";
import { LaunchProfiles } from "./launch-profiles.ts";

const dimensions = new Dimensions([]);
const profileOf = (types: readonly InstanceType[], daemonSets: Parameters<typeof daemonsOf>[0] = []): LaunchProfile => {
  const sets = new RequirementSets(["topology.kubernetes.io/zone", "karpenter.sh/capacity-type"]);
  const index = new InstanceTypeIndex(types, dimensions);
  const input = { nodePool: nodePool("p"), instanceTypes: types, nodeClassLabel: "x/class", usage: {} };
  const pool = candidatePool(input, index, daemonsOf(daemonSets, []), sets, dimensions);
  if (pool === undefined) throw new Error("the pool contradicts itself");
  return new LaunchProfiles(dimensions.names.length).of(pool, pool.base, undefined, []);
};
const cpu = (milli: number): Float64Array => dimensions.vectorOf({ cpu: milli });

describe("the cheapest type with room", () => {
  test("is found by what is used and what is asked, and never before the rank that is given", () => {
    const profile = profileOf(sizes);
    expect(profile.prices[profile.rankFor(cpu(0), cpu(500), 0)]).toBe(0.02);
    expect(profile.prices[profile.rankFor(cpu(500), cpu(500), 0)]).toBe(0.04);
    expect(profile.rankFor(cpu(0), cpu(500), 3)).toBe(3);
    expect(profile.rankFor(cpu(64_000), cpu(1), 0)).toBe(-1);
  });

  test("leaves room for daemons", () => {
    const profile = profileOf(sizes, [daemonSet("agent", { cpu: "1" })]);
    expect(profile.prices[profile.rankFor(cpu(0), cpu(500), 0)]).toBe(0.04);
  });

  test("is not one that has nothing over a cheaper one", () => {
    const dear = instanceType("dear", 2, {
      offerings: [{ zone: "zone-a", capacityType: "spot", pricePerHour: 9, available: true }],
    });
    const profile = profileOf([...sizes, dear]);
    expect(profile.prices).toHaveLength(sizes.length);
    expect(profile.types).toHaveLength(1);
  });
});

describe("the price of a pod", () => {
  test("is that of a share of the best filled node and its charge", () => {
    expect(profileOf(sizes).bestPriceEach(cpu(1000), 1_000, 0.01)).toBeCloseTo((64 * 0.02 + 0.01) / 63);
  });

  test("rises when there are few to fill it", () => {
    expect(profileOf(sizes).bestPriceEach(cpu(1000), 1, 0.01)).toBeCloseTo(0.04 + 0.01);
  });
});
