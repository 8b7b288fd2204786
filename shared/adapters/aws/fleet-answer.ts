import type { CreateFleetCommandOutput, CreateFleetError } from "@aws-sdk/client-ec2";
import type { LaunchInstance, LaunchOption } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { Instance } from "#core/instance.ts";
import { isMissingLaunchTemplate, kindOfCode, plainMessage } from "./fault-table.ts";
import { withReason } from "./launch-reason.ts";

export type FleetAnswer =
  | { readonly kind: "launched"; readonly instance: Instance; readonly refused: NonNullable<Fault["offerings"]> }
  | { readonly kind: "template-missing" }
  | { readonly kind: "failed"; readonly fault: Fault };

/** Refusals that mean: this offering cannot be had, whatever the request. Karpenter: the unfulfillable fleet errors. */
const serviceLinkedRole = "AuthFailure.ServiceLinkedRoleCreationNotPermitted";

/** What an instant fleet came to. `imageOf`: the image of a launch template. */
export function readFleetAnswer(
  command: LaunchInstance,
  answer: CreateFleetCommandOutput,
  nowMs: number,
  imageOf: (launchTemplate: string) => string | undefined,
): FleetAnswer {
  const errors = answer.Errors ?? [];
  for (const row of answer.Instances ?? []) {
    const [id] = row.InstanceIds ?? [];
    if (id === undefined) continue;
    const overrides = row.LaunchTemplateAndOverrides?.Overrides;
    const option = command.options.find(
      ({ instanceType, subnetId, zone }) =>
        instanceType === row.InstanceType &&
        (overrides?.SubnetId === undefined ? zone === overrides?.AvailabilityZone : subnetId === overrides.SubnetId),
    );
    if (option === undefined) continue;
    return {
      kind: "launched",
      instance: instanceOf(id, option, command, nowMs, imageOf),
      refused: offeringsOf(errors, command),
    };
  }
  if (errors.some(({ ErrorCode = "" }) => isMissingLaunchTemplate(ErrorCode))) return { kind: "template-missing" };
  return { kind: "failed", fault: withReason(faultOfErrors(errors, command)) };
}

function instanceOf(
  id: string,
  option: LaunchOption,
  { capacityType, tags }: LaunchInstance,
  launchedAtMs: number,
  imageOf: (launchTemplate: string) => string | undefined,
): Instance {
  const { instanceType, zone, subnetId, launchTemplate = "", reservationId } = option;
  const imageId = imageOf(launchTemplate);
  return {
    ...{
      id,
      providerID: `aws:///${zone}/${id}`,
      state: "pending",
      instanceType,
      zone,
      capacityType,
      launchedAtMs,
      tags,
    },
    ...(subnetId === undefined ? {} : { subnetId }),
    ...(imageId === undefined ? {} : { imageId }),
    ...(reservationId === undefined ? {} : { reservationId }),
  };
}

/** Nothing was launched. All errors a want of capacity: a shortage; else the first other one decides. */
function faultOfErrors(errors: readonly CreateFleetError[], command: LaunchInstance): Fault {
  const other = errors.find(({ ErrorCode = "" }) => !isShortage(ErrorCode));
  if (other !== undefined) {
    const { ErrorCode: code = "Unknown", ErrorMessage: message = "" } = other;
    const kind = kindOfCode(code);
    // A pool whose refusal is one of rate or health is a launch to be repeated, like a call of that fault.
    const known = kind === "throttled" || kind === "unavailable" || kind === "forbidden" ? kind : "launch-refused";
    return { kind: known, code, message: plainMessage(message) };
  }
  const offerings = offeringsOf(errors, command);
  const [first] = errors;
  const more = offerings.length > 1 ? ` (and ${offerings.length - 1} other offerings)` : "";
  return {
    kind: "insufficient-capacity",
    code: first?.ErrorCode ?? "UnfulfillableCapacity",
    message: `${plainMessage(first?.ErrorMessage ?? "the fleet launched nothing and gave no reason")}${more}`,
    offerings: offerings.length > 0 ? offerings : offeringsOfAll(command),
  };
}

function isShortage(code: string): boolean {
  return kindOfCode(code) === "insufficient-capacity" || code === serviceLinkedRole;
}

/** The offerings that the errors speak of. Without the spot role no spot offering can be had. */
function offeringsOf(errors: readonly CreateFleetError[], command: LaunchInstance): NonNullable<Fault["offerings"]> {
  if (errors.some(({ ErrorCode }) => ErrorCode === serviceLinkedRole)) return offeringsOfAll(command);
  const found = new Map<string, NonNullable<Fault["offerings"]>[number]>();
  for (const { ErrorCode = "", LaunchTemplateAndOverrides: told } of errors) {
    if (!isShortage(ErrorCode)) continue;
    const { InstanceType: instanceType, SubnetId: subnetId, AvailabilityZone } = told?.Overrides ?? {};
    const option = command.options.find((each) => each.instanceType === instanceType && each.subnetId === subnetId);
    const zone = option?.zone ?? AvailabilityZone;
    if (instanceType === undefined || zone === undefined) continue;
    found.set(`${instanceType} ${zone}`, { instanceType, zone, capacityType: command.capacityType });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, offering]) => offering);
}

function offeringsOfAll({ options, capacityType }: LaunchInstance): NonNullable<Fault["offerings"]> {
  const pools = new Map(
    options.map(({ instanceType, zone }) => [`${instanceType} ${zone}`, { instanceType, zone, capacityType }]),
  );
  return [...pools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, offering]) => offering);
}
