import type { CreateFleetCommandOutput, CreateFleetError, CreateFleetInstance } from "@aws-sdk/client-ec2";
import type { LaunchInstance, LaunchOption } from "#core/command.ts";
import type { Fault, FaultKind } from "#core/fault.ts";
import type { Instance } from "#core/instance.ts";
import { isMissingLaunchTemplate, kindOfCode, plainMessage } from "./fault-table.ts";
import { isAccountLimit, withReason } from "./launch-reason.ts";

export type FleetAnswer =
  | {
      readonly kind: "launched";
      readonly instance: Instance;
      readonly refused: NonNullable<Fault["offerings"]>;
      readonly fullSubnets: NonNullable<Fault["fullSubnets"]>;
    }
  | { readonly kind: "template-missing" }
  | { readonly kind: "failed"; readonly fault: Fault };

/** EC2's codes of a spot role that is missing and may not be made, and of a subnet without a free address. */
const subnetFull = "InsufficientFreeAddressesInSubnet";
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
    const option = optionOf(row, command);
    if (option === undefined) return unclear(`instance ${id} was launched and the answer does not say where`);
    return {
      kind: "launched",
      instance: instanceOf(id, option, command, nowMs, imageOf),
      refused: offeringsOf(errors, command),
      fullSubnets: fullSubnetsOf(errors),
    };
  }
  if (errors.length === 0 && answer.FleetId === undefined) return unclear("the answer names no fleet and no error");
  if (errors.some(({ ErrorCode = "" }) => isMissingLaunchTemplate(ErrorCode))) return { kind: "template-missing" };
  return { kind: "failed", fault: withReason(faultOfErrors(errors, command)) };
}

/** The launch may have taken effect: it is repeated under its token, or its instance is found by its tags. */
function unclear(message: string): FleetAnswer {
  return { kind: "failed", fault: { kind: "unavailable", code: "UnreadableAnswer", message } };
}

/** What was asked for and came: by subnet or else zone, or the only option of the type. */
function optionOf(row: CreateFleetInstance, { options }: LaunchInstance): LaunchOption | undefined {
  const overrides = row.LaunchTemplateAndOverrides?.Overrides;
  const ofType = options.filter(({ instanceType }) => instanceType === (row.InstanceType ?? overrides?.InstanceType));
  const { SubnetId, AvailabilityZone } = overrides ?? {};
  if (SubnetId !== undefined) return ofType.find(({ subnetId }) => subnetId === SubnetId);
  if (AvailabilityZone !== undefined) return ofType.find(({ zone }) => zone === AvailabilityZone);
  return ofType.length === 1 ? ofType[0] : undefined;
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

/** Kinds of another cause that are answered as they are: to be repeated, or proof of an earlier launch. */
const toldKinds: readonly (FaultKind | undefined)[] = [
  "throttled",
  "unavailable",
  "forbidden",
  "token-mismatch",
  "token-instance-terminated",
];

/** Nothing was launched. All errors a want of capacity: a shortage; else the first other one decides. */
function faultOfErrors(errors: readonly CreateFleetError[], command: LaunchInstance): Fault {
  const offerings = offeringsOf(errors, command);
  const fullSubnets = fullSubnetsOf(errors);
  const subnets = fullSubnets.length === 0 ? {} : { fullSubnets };
  const other = errors.find(({ ErrorCode = "" }) => !isShortage(ErrorCode));
  if (other !== undefined) {
    const { ErrorCode: code = "Unknown", ErrorMessage: message = "" } = other;
    const kind = kindOfCode(code);
    const told = kind !== undefined && toldKinds.includes(kind) ? kind : "launch-refused";
    return {
      kind: told,
      code,
      message: plainMessage(message),
      ...(offerings.length === 0 ? {} : { offerings }),
      ...subnets,
    };
  }
  // A limit of the account is what a person can mend: it is told before what is short.
  const first = errors.find(({ ErrorCode = "" }) => isAccountLimit(ErrorCode)) ?? errors[0];
  const more = offerings.length > 1 ? ` (and ${offerings.length - 1} other offerings)` : "";
  return {
    kind: "insufficient-capacity",
    code: first?.ErrorCode ?? "UnfulfillableCapacity",
    message: `${plainMessage(first?.ErrorMessage ?? "the fleet launched nothing and gave no reason")}${more}`,
    offerings: offerings.length > 0 || fullSubnets.length > 0 ? offerings : offeringsOfAll(command),
    ...subnets,
  };
}

function isShortage(code: string): boolean {
  return kindOfCode(code) === "insufficient-capacity" || code === serviceLinkedRole;
}

/** Karpenter: only where every subnet of a zone is full the zone has nothing to offer; which ones there are, the class knows. */
function fullSubnetsOf(errors: readonly CreateFleetError[]): NonNullable<Fault["fullSubnets"]> {
  const full = errors.flatMap(({ ErrorCode, LaunchTemplateAndOverrides: told }) =>
    ErrorCode === subnetFull ? (told?.Overrides?.SubnetId ?? []) : [],
  );
  return [...new Set(full)].sort();
}

/** The offerings that the errors speak of. Without the spot role no spot offering can be had. */
function offeringsOf(errors: readonly CreateFleetError[], command: LaunchInstance): NonNullable<Fault["offerings"]> {
  if (errors.some(({ ErrorCode }) => ErrorCode === serviceLinkedRole)) return offeringsOfAll(command);
  const found = new Map<string, NonNullable<Fault["offerings"]>[number]>();
  for (const { ErrorCode = "", LaunchTemplateAndOverrides: told } of errors) {
    if (!isShortage(ErrorCode)) continue;
    const { InstanceType: instanceType, SubnetId: subnetId, AvailabilityZone } = told?.Overrides ?? {};
    if (ErrorCode === subnetFull && subnetId !== undefined) continue;
    const option = command.options.find((each) => each.instanceType === instanceType && each.subnetId === subnetId);
    const zone = option?.zone ?? AvailabilityZone;
    if (instanceType === undefined || zone === undefined) continue;
    const offering = { instanceType, zone, capacityType: command.capacityType };
    found.set(keyOf(offering), offering);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, offering]) => offering);
}

function offeringsOfAll({ options, capacityType }: LaunchInstance): NonNullable<Fault["offerings"]> {
  const pools = new Map(
    options.map(({ instanceType, zone }) => {
      const offering = { instanceType, zone, capacityType };
      return [keyOf(offering), offering];
    }),
  );
  return [...pools].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, offering]) => offering);
}

function keyOf({ instanceType, zone }: { readonly instanceType: string; readonly zone: string }): string {
  return `${instanceType} ${zone}`;
}
