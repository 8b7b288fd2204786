import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  type EC2Client,
  type ResourceType,
  RunInstancesCommand,
  type RunInstancesCommandInput,
  type TagSpecification,
} from "@aws-sdk/client-ec2";
import type { Fault } from "#core/fault.ts";
import type { DryRun, DryRunAnswer } from "#ec2/view.ts";
import { faultOf, isMissingLaunchTemplate } from "./fault-table.ts";
import { isPassing } from "./gaps.ts";

/** EC2's answer to a call that would have been carried out. */
const wouldSucceed = "DryRunOperation";
const launchedResources: readonly ResourceType[] = ["instance", "volume", "network-interface"];

/**
 * Tries what a launch of the class will do, without doing it. A subnet may be refused for a cause of its own, so one that
 * is allowed is enough. Throws a fault that says nothing of the class: rate limits, broken connections.
 */
export async function tryDryRun(ec2: EC2Client, dryRun: DryRun): Promise<DryRunAnswer> {
  const template = await refusal(() => ec2.send(createTemplate(dryRun)));
  if (template !== undefined) return { kind: "forbidden", call: "CreateLaunchTemplate", message: template.message };
  let first: Fault | undefined;
  for (const subnetId of dryRun.subnetIds) {
    const run = await refusal(() => ec2.send(runInstances(dryRun, subnetId)));
    if (run === undefined) return { kind: "allowed" };
    first ??= run;
  }
  if (first === undefined) return { kind: "allowed" };
  if (/iamInstanceProfile/i.test(first.message)) return { kind: "profile-missing", message: first.message };
  return { kind: "forbidden", call: "RunInstances", message: first.message };
}

/** Undefined while the template that it names is not there: nothing was tried. */
export async function tryFleetDryRun(ec2: EC2Client, dryRun: DryRun): Promise<DryRunAnswer | undefined> {
  try {
    await ec2.send(createFleet(dryRun));
    return { kind: "allowed" };
  } catch (error) {
    const fault = faultOf(error);
    if (isPassing(fault)) throw error;
    if (isMissingLaunchTemplate(fault.code)) return undefined;
    if (!isMissingRight(fault)) return { kind: "allowed" };
    return { kind: "forbidden", call: "CreateFleet", message: fault.message };
  }
}

/** The refusal of a right or of the profile; other refusals of a dry run are no verdict on the class. */
async function refusal(call: () => Promise<unknown>): Promise<Fault | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    const fault = faultOf(error);
    if (isPassing(fault)) throw error;
    const counts = isMissingRight(fault) || /iamInstanceProfile/i.test(fault.message);
    return fault.code === wouldSucceed || !counts ? undefined : fault;
  }
}

/** An account that is not verified yet, or does not know the caller, is no verdict to keep for half an hour. */
function isMissingRight({ code }: Fault): boolean {
  return /^(UnauthorizedOperation|AccessDenied|AuthFailure)/.test(code);
}

function createTemplate({ launchTemplate, imageId, tags }: DryRun): CreateLaunchTemplateCommand {
  return new CreateLaunchTemplateCommand({
    DryRun: true,
    LaunchTemplateName: launchTemplate,
    LaunchTemplateData: { ImageId: imageId },
    TagSpecifications: tagged(["launch-template"], tags),
  });
}

function createFleet({ launchTemplate, instanceType, subnetIds, tags }: DryRun): CreateFleetCommand {
  return new CreateFleetCommand({
    DryRun: true,
    Type: "instant",
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: launchTemplate, Version: "$Latest" },
        Overrides: subnetIds.map((SubnetId) => ({ InstanceType: instanceType as "m5.large", SubnetId })),
      },
    ],
    TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: "on-demand" },
    TagSpecifications: tagged(["instance", "volume", "fleet"], tags),
  });
}

function runInstances(dryRun: DryRun, SubnetId: string): RunInstancesCommand {
  // In EC2's own fields, which are the same in a launch template and here.
  const { NetworkInterfaces = [{ DeviceIndex: 0, Groups: [...dryRun.securityGroupIds] }], ...details } =
    (dryRun.details ?? {}) as Partial<RunInstancesCommandInput>;
  return new RunInstancesCommand({
    ...details,
    DryRun: true,
    MinCount: 1,
    MaxCount: 1,
    ImageId: dryRun.imageId,
    InstanceType: dryRun.instanceType as "m5.large",
    IamInstanceProfile: { Name: dryRun.instanceProfile },
    NetworkInterfaces: NetworkInterfaces.map((each) => ({ ...each, SubnetId })),
    TagSpecifications: tagged(launchedResources, dryRun.tags),
  });
}

function tagged(resources: readonly ResourceType[], tags: Readonly<Record<string, string>>): TagSpecification[] {
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return resources.map((each) => ({ ResourceType: each, Tags }));
}
