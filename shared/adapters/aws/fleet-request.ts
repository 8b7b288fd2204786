import type { CreateFleetCommandInput, FleetLaunchTemplateConfigRequest, TagSpecification } from "@aws-sdk/client-ec2";
import type { LaunchInstance, LaunchOption } from "#core/command.ts";

/** What CreateFleet tags at the launch. */
const taggedResources = ["instance", "volume", "fleet"] as const;

/** The same command is the same request, byte for byte: its token stands for all of it. */
export function fleetRequest(command: LaunchInstance): CreateFleetCommandInput {
  const { capacityType, details = {}, token } = command;
  const isSpot = capacityType === "spot";
  const strategy = typeof details.allocationStrategy === "string" ? details.allocationStrategy : undefined;
  const request: CreateFleetCommandInput = {
    Type: "instant",
    ClientToken: token,
    TargetCapacitySpecification: {
      TotalTargetCapacity: 1,
      DefaultTargetCapacityType: targetOf(capacityType, details.reservationType),
    },
    LaunchTemplateConfigs: configsOf(command.options),
    TagSpecifications: tagsOf(command.tags),
  };
  if (typeof details.context === "string") request.Context = details.context;
  if (isSpot) {
    request.SpotOptions = {
      AllocationStrategy: (strategy ?? "price-capacity-optimized") as "price-capacity-optimized",
    };
  } else if (details.reservationType !== "capacity-block") {
    request.OnDemandOptions = { AllocationStrategy: (strategy ?? "lowest-price") as "lowest-price" };
  }
  if (details.reservationType === "interruptible") {
    request.ReservedCapacityOptions = { ReservationTypes: ["interruptible-capacity-reservation"] };
  }
  return request;
}

/** Reserved capacity is bought as what its reservation is. */
function targetOf(
  capacityType: string,
  reservationType: unknown,
): "spot" | "on-demand" | "capacity-block" | "reserved-capacity" {
  if (capacityType === "spot") return "spot";
  if (capacityType !== "reserved") return "on-demand";
  if (reservationType === "capacity-block") return "capacity-block";
  return reservationType === "interruptible" ? "reserved-capacity" : "on-demand";
}

/** One configuration a launch template, in the order of the options. */
function configsOf(options: readonly LaunchOption[]): FleetLaunchTemplateConfigRequest[] {
  const byTemplate = new Map<string, LaunchOption[]>();
  for (const option of options) {
    const name = option.launchTemplate ?? "";
    const own = byTemplate.get(name);
    if (own === undefined) byTemplate.set(name, [option]);
    else own.push(option);
  }
  return [...byTemplate].map(([name, own]) => ({
    // A name is a hash of the content, so its newest version is its only one.
    LaunchTemplateSpecification: { LaunchTemplateName: name, Version: "$Latest" },
    Overrides: own.map((option) => ({
      InstanceType: option.instanceType as "m5.large",
      ...(option.subnetId === undefined
        ? { AvailabilityZone: option.zone }
        : { SubnetId: option.subnetId, AvailabilityZone: option.zone }),
      Priority: option.pricePerHour,
    })),
  }));
}

function tagsOf(tags: Readonly<Record<string, string>>): TagSpecification[] {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return Tags.length === 0 ? [] : taggedResources.map((ResourceType) => ({ ResourceType, Tags }));
}
