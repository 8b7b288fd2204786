import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Instance } from "#core/instance.ts";
import { stateAfter } from "#core/state/state-patch.ts";
import { markUnavailable } from "#core/state/unavailable-offerings.ts";
import { claimOf, nowMs, resolvedClass, snapshotOf } from "../../../test/support/ec2-world.ts";
import { capacityType, types } from "../../../test/support/launch-plans.ts";
import { ec2Provider } from "../provider.ts";

const nodeClass = resolvedClass();
const requirements = [types("m5.large"), capacityType("on-demand")];
const claimNamed = (name: string): NodeClaim => {
  const claim = claimOf({ requirements });
  return { ...claim, metadata: { ...claim.metadata, name, uid: name } };
};

interface World {
  readonly ahead?: number;
  readonly instances?: readonly Instance[];
  readonly full?: readonly string[];
}

/** Subnets of the plan by zone. us-east-1a has subnet-0a with 100 and subnet-1a with 200 addresses; m5.large takes 29. */
function subnetsOf({ ahead = 0, instances = [], full = [] }: World = {}): Readonly<Record<string, string | undefined>> {
  const claims = Array.from({ length: ahead + 1 }, (_, index) => claimNamed(`c${String(index).padStart(3, "0")}`));
  const state = stateAfter({}, markUnavailable({}, [], nowMs - 1_000, full));
  const snapshot = snapshotOf({ nodeClasses: [nodeClass], nodeClaims: claims, state });
  const plan = ec2Provider.planLaunch(
    { ...snapshot, cloud: { ...snapshot.cloud, instances } },
    claims[ahead] ?? claimNamed("c"),
    1,
  );
  if (plan.kind !== "launch") return { plan: plan.kind };
  return Object.fromEntries(plan.launch.options.map(({ zone, subnetId }) => [zone.slice(-1), subnetId]));
}

function instanceIn(subnetId: string, ageMs: number, index: number): Instance {
  return {
    ...{ id: `i-${index}`, providerID: `aws:///z/i-${index}`, state: "pending", instanceType: "m5.large" },
    ...{ zone: "us-east-1a", capacityType: "on-demand", tags: {}, subnetId, launchedAtMs: nowMs - ageMs },
  };
}

describe("subnets of a launch", () => {
  test("the one with most free addresses of each zone", () => {
    expect(subnetsOf()).toEqual({ a: "subnet-1a", b: "subnet-0b" });
  });

  test("launches of one tick share the subnets of a zone by what they have left", () => {
    const chosen = Array.from({ length: 10 }, (_, ahead) => subnetsOf({ ahead }).a);
    // 200, 171, 142, 113 | 100 | 84 | 71 | 55 | 42 | 26
    expect(chosen.map((id) => id?.at(-2))).toEqual([..."1111010101"]);
  });

  test("what young instances take counts, and older ones are in what EC2 says", () => {
    const taken = (ageMs: number) => [0, 1, 2, 3].map((index) => instanceIn("subnet-1a", ageMs, index));
    expect(subnetsOf({ instances: taken(10_000) }).a).toBe("subnet-0a");
    expect(subnetsOf({ instances: taken(90_000) }).a).toBe("subnet-1a");
  });

  test("a full subnet is left out, and a zone only when all of its subnets are full", () => {
    expect(subnetsOf({ full: ["subnet-1a"] })).toEqual({ a: "subnet-0a", b: "subnet-0b" });
    expect(subnetsOf({ full: ["subnet-0a", "subnet-1a"] })).toEqual({ b: "subnet-0b" });
    expect(subnetsOf({ full: ["subnet-0a", "subnet-1a", "subnet-0b"] })).toEqual({ plan: "insufficient-capacity" });
  });

  test("the scheduler sees no offering in a zone whose subnets are all full, until they are tried again", () => {
    const zonesAt = (atMs: number): readonly string[] => {
      const state = stateAfter({}, markUnavailable({}, [], atMs, ["subnet-0a", "subnet-1a"]));
      const snapshot = snapshotOf({ nodeClasses: [nodeClass], state });
      const answer = ec2Provider.instanceTypesOfClaim(snapshot, claimOf());
      const type = answer.kind === "known" ? answer.instanceTypes.find(({ name }) => name === "m5.large") : undefined;
      return [...new Set(type?.offerings.filter(({ available }) => available).map(({ zone }) => zone))].sort();
    };
    expect(zonesAt(nowMs - 1_000)).toEqual(["us-east-1b"]);
    expect(zonesAt(nowMs - 4 * 60_000)).toEqual(["us-east-1a", "us-east-1b"]);
  });
});
