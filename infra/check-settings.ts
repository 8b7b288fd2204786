import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { metricTable } from "../shared/adapters/telemetry/metrics/metric-table.ts";
import { offHoursProblems } from "../shared/api/off-hours.ts";
import { nearestName } from "./nearest-name.ts";
import type { OutriggerSettings } from "./settings.ts";

type Check = (value: unknown) => string | undefined;

/** Lambda: the memory a function may have, MB. */
const memoryMin = 128;
const memoryMax = 10_240;

const retentionDays = Object.values(RetentionDays).filter(
  (days): days is number => typeof days === "number" && days !== RetentionDays.INFINITE,
);

const flag: Check = (value) => (typeof value === "boolean" ? undefined : "must be true or false");

function wordOf(...words: readonly string[]): Check {
  return (value) => (words.some((word) => word === value) ? undefined : `must be one of ${words.join(", ")}`);
}

function numberFrom(least: number, most = Number.POSITIVE_INFINITY): Check {
  const range = most === Number.POSITIVE_INFINITY ? `${least} or more` : `from ${least} to ${most}`;
  return (value) =>
    typeof value === "number" && Number.isFinite(value) && value >= least && value <= most
      ? undefined
      : `must be a number, ${range}`;
}

function integerFrom(least: number, most?: number): Check {
  const inRange = numberFrom(least, most);
  return (value) => inRange(value) ?? (Number.isInteger(value) ? undefined : "must be a whole number");
}

function matching(pattern: RegExp, form: string): Check {
  return (value) => (typeof value === "string" && pattern.test(value) ? undefined : `must be ${form}`);
}

/** A setting whose other value asks for what is not built: `instead` says what to do. */
function only(word: boolean | "", instead: string): Check {
  return (value) => (value === word ? undefined : `must be ${JSON.stringify(word)}: ${instead}`);
}

function listOf(check: Check): Check {
  return (value) =>
    Array.isArray(value) ? value.map((each) => check(each)).find((problem) => problem !== undefined) : "must be a list";
}

const metricNames = Object.keys(metricTable);

const metricName: Check = (value) => {
  if (typeof value === "string" && Object.hasOwn(metricTable, value)) return undefined;
  const near = nearestName(String(value), metricNames);
  const hint = near === undefined ? "docs/metrics.md names them" : `did you mean ${near}?`;
  return `has ${JSON.stringify(value)}, which is no metric; ${hint}`;
};

const roleArn = matching(/^arn:[\w-]+:iam::\d{12}:role\/\S+$/, "ARNs of roles, arn:aws:iam::ACCOUNT:role/NAME");
const memory = integerFrom(memoryMin, memoryMax);

const checks: Readonly<Record<keyof OutriggerSettings, Check>> = {
  reaction: wordOf("minute", "seconds"),
  reconcileMemoryMB: memory,
  interruptionMemoryMB: memory,
  catalogMemoryMB: memory,
  logLevel: wordOf("DEBUG", "INFO", "WARN", "ERROR"),
  logRetentionDays: (value) =>
    retentionDays.some((days) => days === value) ? undefined : `must be one of ${retentionDays.join(", ")}`,
  recordings: flag,
  nodeRoleArns: listOf(roleArn),
  windowsNodeRoleArns: listOf(roleArn),
  ssmParameters: listOf(matching(/^\/[\w./*-]+$/, "paths of parameters that begin with /")),
  conversionWebhook: flag,
  onDelete: wordOf("keep", "drain", "force"),
  // CloudFormation waits an hour for a custom resource.
  drainMinutes: integerFrom(1, 55),
  adoptCrds: flag,
  setUpAgain: matching(/^.{0,256}$/, "a text"),
  endpointAccess: wordOf("public", "limited", "private"),
  vpcId: matching(/^vpc-([0-9a-f]{8}|[0-9a-f]{17})$/, "the id of a VPC, vpc-…"),
  subnetIds: listOf(matching(/^subnet-([0-9a-f]{8}|[0-9a-f]{17})$/, "ids of subnets, subnet-…")),
  clusterSecurityGroupId: matching(/^sg-([0-9a-f]{8}|[0-9a-f]{17})$/, "the id of a security group, sg-…"),
  s3RouteTableIds: listOf(matching(/^rtb-([0-9a-f]{8}|[0-9a-f]{17})$/, "ids of route tables, rtb-…")),
  alarms: flag,
  alarmTopicArn: matching(/^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/, "the ARN of an SNS topic"),
  costLimitPerHour: numberFrom(0),
  dashboard: flag,
  eventBusName: matching(/^[\w./-]{1,256}$/, "the name of an event bus, not its ARN"),
  extraMetrics: listOf(metricName),
  remoteWriteUrl: matching(/^https?:\/\/\S+$/, "a URL"),
  preferencePolicy: wordOf("Respect", "Ignore"),
  minValuesPolicy: wordOf("Strict", "BestEffort"),
  batchIdleSeconds: numberFrom(0),
  batchMaxSeconds: numberFrom(0),
  nodeRepair: flag,
  reservedCapacity: flag,
  spotToSpotConsolidation: flag,
  vmMemoryOverheadPercent: numberFrom(0, 1),
  reservedEnis: integerFrom(0),
  disableDryRun: flag,
  amiRefreshSeconds: numberFrom(60),
  subnetRefreshSeconds: numberFrom(60),
  disableClusterStateObservability: flag,
  nodeOverlay: only(
    false,
    "NodeOverlays are not acted on; choose among instance types by requirements and weights of NodePools",
  ),
  staticCapacity: only(
    false,
    "NodePools with replicas are not acted on; keep nodes by a Deployment of placeholder pods, one for each node",
  ),
  capacityBuffer: only(
    false,
    "CapacityBuffers are not acted on; keep room by placeholder pods whose PriorityClass is below that of others",
  ),
  ignoreDraRequests: only(
    true,
    "no node is made for pods with resourceClaims; ask for devices by an extended resource, as nvidia.com/gpu",
  ),
  enableZonalShift: only(
    false,
    "zonal shifts are not seen; while one lasts, exclude the zone by a requirement of the NodePools",
  ),
  schedulerConfig: only(
    "",
    "default spread constraints are not acted on; write topologySpreadConstraints into the workloads",
  ),
  ignoreWhenAloneNamespaces: listOf(matching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, "names of namespaces")),
  offHours: (value) => {
    const problems = offHoursProblems(value);
    return problems.length === 0 ? undefined : problems.join("; ");
  },
};

export const settingNames: readonly string[] = Object.keys(checks);

/** What is wrong with the settings, a line each, in the order in which they are given; [] when all is well. */
export function settingsProblems(settings: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const check = Object.hasOwn(checks, name) ? checks[name as keyof OutriggerSettings] : undefined;
    if (check === undefined) return [`${name}: there is no such setting${hintFor(name)}`];
    const problem = check(value);
    return problem === undefined
      ? []
      : [`${name}${problem.startsWith("[") ? "" : ": "}${problem}; it is ${JSON.stringify(value)}`];
  });
}

function hintFor(name: string): string {
  const near = nearestName(name, settingNames);
  return near === undefined ? `; there are ${settingNames.join(", ")}` : `; did you mean ${near}?`;
}
