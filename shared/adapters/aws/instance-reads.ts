import {
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  type EC2Client,
  type Instance as Ec2Instance,
} from "@aws-sdk/client-ec2";
import type { Instance } from "#core/instance.ts";
import type { InstanceStatus } from "#ec2/view.ts";
import { allPages } from "./pages.ts";

const pageSize = 1_000;
const states = ["pending", "running", "stopping", "stopped", "shutting-down", "terminated"] as const;
/** Events that end or restart an instance. Karpenter: pkg/controllers/interruption/instancestatus. */
const eventCodes = ["instance-reboot", "system-reboot", "system-maintenance", "instance-retirement", "instance-stop"];

/** Instances of the cluster, by Karpenter's own filter, terminated ones for as long as EC2 shows them; by id. */
export async function readInstances(ec2: EC2Client, clusterName: string): Promise<readonly Instance[]> {
  const Filters = [
    { Name: "tag-key", Values: ["karpenter.sh/nodepool"] },
    { Name: "tag-key", Values: ["karpenter.k8s.aws/ec2nodeclass"] },
    { Name: "tag:eks:eks-cluster-name", Values: [clusterName] },
    { Name: "instance-state-name", Values: [...states] },
  ];
  const reservations = await allPages(
    (NextToken) => ec2.send(new DescribeInstancesCommand({ Filters, MaxResults: pageSize, NextToken })),
    (page) => page.Reservations,
    (page) => page.NextToken,
  );
  return reservations
    .flatMap((reservation) => reservation.Instances ?? [])
    .flatMap(instanceOf)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What EC2 says of an instance; nothing for one without the fields that every instance has. */
export function instanceOf(told: Ec2Instance): readonly Instance[] {
  const { InstanceId: id, InstanceType: instanceType, LaunchTime: launchedAt } = told;
  const { AvailabilityZone: zone, PartitionNumber: partition } = told.Placement ?? {};
  const state = states.find((name) => name === told.State?.Name);
  if (id === undefined || instanceType === undefined || zone === undefined || state === undefined) return [];
  const tags = Object.fromEntries((told.Tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value]));
  return [
    {
      ...{
        id,
        providerID: `aws:///${zone}/${id}`,
        state,
        instanceType,
        zone,
        capacityType: capacityTypeOf(told),
        tags,
      },
      launchedAtMs: launchedAt?.getTime() ?? 0,
      ...(told.ImageId === undefined ? {} : { imageId: told.ImageId }),
      ...(told.SubnetId === undefined ? {} : { subnetId: told.SubnetId }),
      ...(told.CapacityReservationId === undefined ? {} : { reservationId: told.CapacityReservationId }),
      ...(partition === undefined || partition < 1 ? {} : { partition }),
      securityGroupIds: (told.SecurityGroups ?? []).flatMap(({ GroupId }) => GroupId ?? []).sort(),
    },
  ];
}

/** Reserved only where the launch asked for nothing else. Karpenter: instance.NewInstance. */
function capacityTypeOf(told: Ec2Instance): string {
  if (told.InstanceLifecycle === "spot" || told.SpotInstanceRequestId !== undefined) return "spot";
  const preference = told.CapacityReservationSpecification?.CapacityReservationPreference;
  return told.CapacityReservationId !== undefined && preference === "capacity-reservations-only"
    ? "reserved"
    : "on-demand";
}

/** Running instances of the account with a failed check or a scheduled event; by id. */
export async function readStatuses(ec2: EC2Client): Promise<readonly InstanceStatus[]> {
  const questions = [
    { Name: "instance-status.status", Values: ["impaired"] },
    { Name: "system-status.status", Values: ["impaired"] },
    { Name: "event.code", Values: eventCodes },
  ];
  const found = new Map<string, InstanceStatus>();
  for (const filter of questions) {
    const rows = await allPages(
      (NextToken) =>
        ec2.send(new DescribeInstanceStatusCommand({ Filters: [filter], MaxResults: pageSize, NextToken })),
      (page) => page.InstanceStatuses,
      (page) => page.NextToken,
    );
    for (const row of rows) {
      if (row.InstanceId === undefined) continue;
      found.set(row.InstanceId, {
        instanceId: row.InstanceId,
        ...failedSince("instanceFailedSinceMs", row.InstanceStatus),
        ...failedSince("systemFailedSinceMs", row.SystemStatus),
        events: (row.Events ?? [])
          .flatMap(({ Code, Description = "" }) =>
            Code === undefined || !eventCodes.includes(Code) ? [] : [{ code: Code, description: Description }],
          )
          // EC2 keeps an event that is over for a week, and says so in its description.
          .filter(({ description }) => !/^\[(Completed|Canceled)\]/.test(description))
          .map(({ code }) => code)
          .sort(),
      });
    }
  }
  return [...found.values()].sort((a, b) => (a.instanceId < b.instanceId ? -1 : 1));
}

type Check = {
  readonly Status?: string | undefined;
  readonly Details?: readonly { readonly ImpairedSince?: Date | undefined }[] | undefined;
};

function failedSince(
  field: "instanceFailedSinceMs" | "systemFailedSinceMs",
  check: Check | undefined,
): Partial<InstanceStatus> {
  if (check?.Status !== "impaired") return {};
  const since = (check.Details ?? []).flatMap(({ ImpairedSince }) =>
    ImpairedSince === undefined ? [] : [ImpairedSince.getTime()],
  );
  return since.length === 0 ? {} : { [field]: Math.min(...since) };
}
