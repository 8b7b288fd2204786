import type { EnsureLaunchTemplate, LaunchInstance, LaunchOption } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { CatalogueType } from "#ec2/instance-type/catalogue.ts";
import type { Image } from "#ec2/view.ts";
import { addressesOf } from "./addresses.ts";
import type { Capacity } from "./capacity.ts";
import type { LaunchTemplates } from "./launch-templates.ts";
import type { Network, SubnetRecord } from "./network.ts";
import { cheapest, chooseSpotPool } from "./pool-choice.ts";
import type { Reservations } from "./reservations.ts";
import { groupsOf, profileOf } from "./template-details.ts";

/** What a launch reads of the account. */
export interface LaunchContext {
  readonly seed: number;
  readonly nowMs: number;
  readonly types: ReadonlyMap<string, CatalogueType>;
  readonly templates: LaunchTemplates;
  readonly network: Network;
  readonly capacity: Capacity;
  readonly reservations: Reservations;
  readonly imageOf: (id: string) => Image | undefined;
  readonly hasProfile: (name: string) => boolean;
}

/** An option that EC2 can carry out now. */
export interface Ready {
  readonly kind: "ready";
  readonly instanceType: string;
  readonly zone: string;
  /** EC2's own price, whatever the request said. */
  readonly pricePerHour: number;
  readonly type: CatalogueType;
  readonly template: EnsureLaunchTemplate;
  readonly image: Image;
  readonly subnet: SubnetRecord;
  readonly reservationId?: string;
}

/** An option that it cannot: `short` for now, `wrong` until somebody mends it. */
interface Unready {
  readonly kind: "short" | "wrong";
  readonly option: LaunchOption;
  readonly code: string;
  readonly message: string;
}

/** Picks one of the command's options as an instant fleet does, or says why none will do. */
export function resolveLaunch(command: LaunchInstance, context: LaunchContext): Ready | Fault {
  const answers = command.options.map((option) => examine(option, command.capacityType, context));
  const ready = answers.filter((answer) => answer.kind === "ready");
  const chosen = command.capacityType === "spot" ? chooseSpotPool(ready, context.seed, command.token) : cheapest(ready);
  return (
    chosen ??
    faultOf(
      answers.filter((answer) => answer.kind !== "ready"),
      command.capacityType,
    )
  );
}

function examine(option: LaunchOption, capacityType: string, context: LaunchContext): Ready | Unready {
  const { instanceType, zone } = option;
  const problem = (kind: Unready["kind"], code: string, message: string): Unready => ({ kind, option, code, message });
  const type = context.types.get(instanceType);
  if (type === undefined) return problem("wrong", "InvalidParameterValue", `no instance type ${instanceType}`);
  const subnet =
    option.subnetId === undefined ? context.network.usualSubnet(zone) : context.network.subnet(option.subnetId);
  if (subnet === undefined) {
    return problem("wrong", "InvalidSubnetID.NotFound", `no subnet ${option.subnetId ?? `in ${zone}`}`);
  }
  if (subnet.zone !== zone) {
    return problem("wrong", "InvalidParameterValue", `subnet ${subnet.id} lies in ${subnet.zone}, not in ${zone}`);
  }
  const templated = examineTemplate(option, type, context);
  if (templated.kind !== "found") return problem("wrong", templated.code, templated.message);
  const pricePerHour = priceOf(type, zone, capacityType);
  const { reservationId } = option;
  if (capacityType === "reserved" && !context.reservations.has(reservationId ?? "", instanceType, zone)) {
    return problem(
      "short",
      "ReservationCapacityExceeded",
      `reservation ${reservationId ?? ""} has no ${instanceType} left`,
    );
  }
  if (pricePerHour === undefined) {
    return problem("short", "Unsupported", `${instanceType} is not sold as ${capacityType} in ${zone}`);
  }
  if (!context.capacity.has({ instanceType, zone, capacityType }, context.nowMs)) {
    return problem(
      "short",
      "InsufficientInstanceCapacity",
      `no ${capacityType} capacity for ${instanceType} in ${zone}`,
    );
  }
  if (subnet.addresses.free < addressesOf(type)) {
    return problem("short", "InsufficientFreeAddressesInSubnet", `subnet ${subnet.id} has too few free addresses`);
  }
  const { template, image } = templated;
  const reserved = reservationId === undefined ? {} : { reservationId };
  return { kind: "ready", instanceType, zone, pricePerHour, type, template, image, subnet, ...reserved };
}

type Templated =
  | { readonly kind: "found"; readonly template: EnsureLaunchTemplate; readonly image: Image }
  | { readonly kind: "wrong"; readonly code: string; readonly message: string };

function examineTemplate(option: LaunchOption, type: CatalogueType, context: LaunchContext): Templated {
  const name = option.launchTemplate;
  if (name === undefined)
    return { kind: "wrong", code: "MissingParameter", message: "a launch needs a launch template" };
  const template = context.templates.get(name);
  if (template === undefined) {
    return {
      kind: "wrong",
      code: "InvalidLaunchTemplateName.NotFoundException",
      message: `no launch template ${name}`,
    };
  }
  const image = context.imageOf(template.imageId);
  if (image === undefined) {
    return { kind: "wrong", code: "InvalidAMIID.NotFound", message: `no image ${template.imageId}` };
  }
  if (image.arch !== type.arch) {
    const message = `image ${image.id} is for ${image.arch}, ${type.name} is ${type.arch}`;
    return { kind: "wrong", code: "InvalidParameterValue", message };
  }
  const group = groupsOf(template).find((id) => !context.network.hasGroup(id));
  if (group !== undefined)
    return { kind: "wrong", code: "InvalidGroup.NotFound", message: `no security group ${group}` };
  const profile = profileOf(template);
  if (profile !== undefined && !context.hasProfile(profile)) {
    const message = `no instance profile ${profile} (iamInstanceProfile.name)`;
    return { kind: "wrong", code: "InvalidParameterValue", message };
  }
  return { kind: "found", template, image };
}

function priceOf(type: CatalogueType, zone: string, capacityType: string): number | undefined {
  if (!type.zones.includes(zone)) return undefined;
  if (capacityType === "spot") return type.usageClasses.includes("spot") ? type.spotPerHour[zone] : undefined;
  if ((capacityType !== "on-demand" && capacityType !== "reserved") || !type.usageClasses.includes("on-demand"))
    return undefined;
  return type.onDemandPerHour;
}

function faultOf(answers: readonly Unready[], capacityType: string): Fault {
  const wrong = answers.find(({ kind }) => kind === "wrong");
  const first = wrong ?? answers[0];
  if (first === undefined) {
    return { kind: "launch-refused", code: "MissingParameter", message: "the request names no instance type" };
  }
  const { code, message } = first;
  if (wrong !== undefined) return { kind: "launch-refused", code, message };
  const offerings = answers.map(({ option }) => ({
    instanceType: option.instanceType,
    zone: option.zone,
    capacityType,
  }));
  const more = offerings.length > 1 ? `, nor any of ${offerings.length - 1} other offerings` : "";
  return { kind: "insufficient-capacity", code, message: `${message}${more}`, offerings };
}
