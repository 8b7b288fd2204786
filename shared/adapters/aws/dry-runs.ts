import {
  CreateLaunchTemplateCommand,
  type EC2Client,
  type ResourceType,
  RunInstancesCommand,
  type RunInstancesCommandInput,
  type TagSpecification,
} from "@aws-sdk/client-ec2";
import type { Fault } from "#core/fault.ts";
import type { DryRun, DryRunAnswer } from "#ec2/view.ts";
import { faultOf } from "./fault-table.ts";

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

/** The refusal of a right or of the profile; other refusals of a dry run are no verdict on the class. */
async function refusal(call: () => Promise<unknown>): Promise<Fault | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    const fault = faultOf(error);
    if (fault.kind === "throttled" || fault.kind === "unavailable") throw error;
    const counts = fault.kind === "forbidden" || /iamInstanceProfile/i.test(fault.message);
    return fault.code === wouldSucceed || !counts ? undefined : fault;
  }
}

function createTemplate({ key, imageId, tags }: DryRun): CreateLaunchTemplateCommand {
  return new CreateLaunchTemplateCommand({
    DryRun: true,
    LaunchTemplateName: `karpenter.k8s.aws/dry-run-${key}`,
    LaunchTemplateData: { ImageId: imageId },
    TagSpecifications: tagged(["launch-template"], tags),
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
