import fc from "fast-check";
import { expect, test } from "vitest";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { stateAfter } from "#core/state/state-patch.ts";
import { markUnavailable } from "#core/state/unavailable-offerings.ts";
import { catalogue, claimOf, nowMs, resolvedClass, snapshotOf, subnets } from "../../../test/support/ec2-world.ts";
import { ec2Provider } from "../provider.ts";

const byName = new Map(catalogue.types.map((type) => [type.name, type]));
const nodeClass = resolvedClass();
const zones = ["us-east-1a", "us-east-1b", "us-east-1c"];
const capacityTypes = ["spot", "on-demand"];

const someOf = (key: string, values: readonly string[], least = 1): fc.Arbitrary<RequirementSpec> =>
  fc.subarray([...values], { minLength: least }).map((chosen) => ({ key, operator: "In", values: chosen }));

const claims = fc.record({
  names: someOf("node.kubernetes.io/instance-type", [...byName.keys()], 40),
  zones: someOf("topology.kubernetes.io/zone", zones),
  capacityTypes: someOf("karpenter.sh/capacity-type", capacityTypes),
  cpuMillis: fc.integer({ min: 100, max: 16_000 }),
  memoryMiB: fc.integer({ min: 100, max: 64_000 }),
  unavailable: fc.array(
    fc.record({
      instanceType: fc.constantFrom(...byName.keys()),
      zone: fc.constantFrom(...zones),
      capacityType: fc.constantFrom(...capacityTypes),
    }),
    { maxLength: 30 },
  ),
});

test("every option of a plan is one that the claim allows, that has room, a subnet and a price, and is available", () => {
  fc.assert(
    fc.property(claims, (claim) => {
      const state = stateAfter({}, markUnavailable({}, claim.unavailable, nowMs));
      const requests = { cpu: `${claim.cpuMillis}m`, memory: `${claim.memoryMiB}Mi` };
      const requirements = [claim.names, claim.zones, claim.capacityTypes];
      const snapshot = snapshotOf({ nodeClasses: [nodeClass], state });
      const plan = ec2Provider.planLaunch(snapshot, claimOf({ requirements, resources: { requests } }), 1);
      if (plan.kind !== "launch") return;
      const { options, capacityType } = plan.launch;
      const made = new Set(plan.prepare.flatMap((command) => ("name" in command ? [command.name] : [])));
      expect(new Set(options.map((option) => option.instanceType)).size).toBeLessThanOrEqual(60);
      for (const { instanceType, zone, pricePerHour, subnetId, launchTemplate } of options) {
        const type = byName.get(instanceType);
        expect(claim.names.values).toContain(instanceType);
        expect(claim.zones.values).toContain(zone);
        expect(claim.capacityTypes.values).toContain(capacityType);
        expect(type?.zones).toContain(zone);
        expect(type?.vcpus ?? 0).toBeGreaterThan(claim.cpuMillis / 1_000);
        expect(type?.memoryMiB ?? 0).toBeGreaterThan(claim.memoryMiB);
        expect(pricePerHour).toBe(capacityType === "spot" ? type?.spotPerHour[zone] : type?.onDemandPerHour);
        expect(subnets.find(({ id }) => id === subnetId)?.zone).toBe(zone);
        expect(made).toContain(launchTemplate);
        expect(claim.unavailable).not.toContainEqual({ instanceType, zone, capacityType });
      }
    }),
    { seed: 3, numRuns: 100 },
  );
});
