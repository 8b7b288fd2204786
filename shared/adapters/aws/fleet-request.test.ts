import { describe, expect, test } from "vitest";
import type { LaunchInstance } from "#core/command.ts";
import { fleetRequest } from "./fleet-request.ts";

const option = { zone: "us-east-1a", subnetId: "subnet-a", launchTemplate: "karpenter.k8s.aws/x" };
const command: LaunchInstance = {
  ...{ kind: "launch-instance", nodeClaim: "c", nodeClaimUid: "u", attempt: 2, token: "u-2", capacityType: "spot" },
  options: [
    { ...option, instanceType: "m5.large", pricePerHour: 0.04 },
    { ...option, instanceType: "m7g.large", pricePerHour: 0.05, launchTemplate: "karpenter.k8s.aws/y" },
    { ...option, instanceType: "m5.large", pricePerHour: 0.06, zone: "us-east-1b", subnetId: "subnet-b" },
  ],
  tags: { a: "b" },
};

test("a spot launch asks for one instance under its token, one configuration a template", () => {
  expect(fleetRequest(command)).toEqual({
    Type: "instant",
    ClientToken: "u-2",
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: "spot" },
    SpotOptions: { AllocationStrategy: "price-capacity-optimized" },
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: "karpenter.k8s.aws/x", Version: "$Latest" },
        Overrides: [
          { InstanceType: "m5.large", SubnetId: "subnet-a", AvailabilityZone: "us-east-1a", Priority: 0.04 },
          { InstanceType: "m5.large", SubnetId: "subnet-b", AvailabilityZone: "us-east-1b", Priority: 0.06 },
        ],
      },
      {
        LaunchTemplateSpecification: { LaunchTemplateName: "karpenter.k8s.aws/y", Version: "$Latest" },
        Overrides: [
          { InstanceType: "m7g.large", SubnetId: "subnet-a", AvailabilityZone: "us-east-1a", Priority: 0.05 },
        ],
      },
    ],
    TagSpecifications: ["instance", "volume", "fleet"].map((ResourceType) => ({
      ResourceType,
      Tags: [{ Key: "a", Value: "b" }],
    })),
  });
});

describe("capacity types", () => {
  test("on-demand is bought at the lowest price", () => {
    const request = fleetRequest({ ...command, capacityType: "on-demand" });
    expect(request.TargetCapacitySpecification?.DefaultTargetCapacityType).toBe("on-demand");
    expect(request.OnDemandOptions).toEqual({ AllocationStrategy: "lowest-price" });
    expect(request.SpotOptions).toBeUndefined();
  });

  test.each([
    ["default", "on-demand", true, undefined],
    ["capacity-block", "capacity-block", false, undefined],
    ["interruptible", "reserved-capacity", true, { ReservationTypes: ["interruptible-capacity-reservation"] }],
  ])("a %s reservation is bought as %s", (reservationType, target, hasStrategy, reserved) => {
    const request = fleetRequest({ ...command, capacityType: "reserved", details: { reservationType } });
    expect(request.TargetCapacitySpecification?.DefaultTargetCapacityType).toBe(target);
    expect(request.OnDemandOptions !== undefined).toBe(hasStrategy);
    expect(request.ReservedCapacityOptions).toEqual(reserved);
  });
});

test("the class's context and an overlay's strategy are passed on", () => {
  const details = { context: "ctx", allocationStrategy: "capacity-optimized-prioritized" };
  const request = fleetRequest({ ...command, details });
  expect(request.Context).toBe("ctx");
  expect(request.SpotOptions).toEqual({ AllocationStrategy: "capacity-optimized-prioritized" });
});

test("without tags the request names none", () => {
  expect(fleetRequest({ ...command, tags: {} }).TagSpecifications).toEqual([]);
});

test("a request keeps every pool of the command, in its order", () => {
  const options = Array.from({ length: 3_600 }, (_, i) => ({
    ...option,
    instanceType: `m${Math.floor(i / 6)}.large`,
    pricePerHour: i,
    subnetId: `subnet-${i % 6}`,
  }));
  const [config, ...others] = fleetRequest({ ...command, options }).LaunchTemplateConfigs ?? [];
  expect(others).toEqual([]);
  expect(config?.Overrides?.map(({ Priority }) => Priority)).toEqual(options.map(({ pricePerHour }) => pricePerHour));
});
