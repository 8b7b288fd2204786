/** A plan is never made cheaper by making it narrower: a claim keeps every zone and capacity type that its pods can use. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { InstanceType } from "#core/instance-type.ts";
import { planProvisioning } from "#core/provisioning/plan.ts";
import { instanceType, nodePool, pendingPod, snapshotOf, testProvider, zones } from "../support/scheduling-objects.ts";

const families = ["red", "green", "blue", "grey", "gold"];
const catalogue: readonly InstanceType[] = families.flatMap((family, f) =>
  [2, 4, 8, 16].map((cpu, c) => {
    const name = `${family}-${cpu}`;
    const offerings = zones.flatMap((zone, z) => [
      { zone, capacityType: "on-demand", pricePerHour: cpu * (0.05 + f / 100), available: (f + c + z) % 4 !== 0 },
      { zone, capacityType: "spot", pricePerHour: cpu * (0.02 + z / 1000), available: (f + 2 * c + z) % 3 !== 0 },
    ]);
    return instanceType(name, cpu, { offerings }, [{ key: "example.dev/family", operator: "In", values: [family] }]);
  }),
);

const selectors = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { "topology.kubernetes.io/zone": "zone-b" },
  { "karpenter.sh/capacity-type": "spot" },
  { "karpenter.sh/capacity-type": "on-demand" },
  { "example.dev/family": "blue" },
);
const pods = fc
  .array(fc.record({ cpu: fc.constantFrom("200m", "1", "3", "7"), nodeSelector: selectors }), {
    minLength: 1,
    maxLength: 15,
  })
  .map((list) => list.map(({ cpu, nodeSelector }, i) => pendingPod(`p${i}`, { cpu }, { nodeSelector })));

test("zones and capacity types are narrowed by what pods ask for, and by nothing else", () => {
  fc.assert(
    fc.property(pods, (list) => {
      const { claims } = planProvisioning(
        snapshotOf({ pods: list, nodePools: [nodePool("default")] }, catalogue),
        testProvider,
      );
      for (const { planned } of claims) {
        const asked = new Set(planned.pods.flatMap(({ spec }) => Object.keys(spec.nodeSelector ?? {})));
        expect(planned.requirements.has("topology.kubernetes.io/zone")).toBe(asked.has("topology.kubernetes.io/zone"));
        if (!asked.has("karpenter.sh/capacity-type") && planned.instanceTypes.length > 3) {
          expect(planned.capacityTypes).toEqual(["on-demand", "spot"]);
        }
      }
    }),
    { numRuns: 100 },
  );
});
