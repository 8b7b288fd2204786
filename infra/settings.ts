import type { OffHoursWindow } from "../shared/api/off-hours.ts";

/**
 * What a deployment may be told, all of it optional, in plain values: the same fields in `outrigger.config.ts` and as
 * properties of the construct. What is left out is Karpenter's default.
 */
export interface OutriggerSettings {
  /**
   * How soon pending pods are seen: in the next minute, or at once. By the second a function runs all the time.
   * @default "minute"
   */
  readonly reaction?: "minute" | "seconds";
  /** Memory of `reconcile`, MB; Lambda gives CPU in proportion. @default 512 */
  readonly reconcileMemoryMB?: number;
  /** Memory of `interruption`, MB. @default 512 */
  readonly interruptionMemoryMB?: number;
  /** Memory of `catalog`, MB. @default 512 */
  readonly catalogMemoryMB?: number;
  /** What of the log is kept. @default "INFO" */
  readonly logLevel?: "DEBUG" | "INFO" | "WARN" | "ERROR";
  /** How long the log is kept, days; one of the spans that CloudWatch has. @default 14 */
  readonly logRetentionDays?: number;
  /** Whether ticks that changed something or failed are kept for 14 days, to be looked at again. @default true */
  readonly recordings?: boolean;

  /**
   * ARNs of the roles that nodes run under, those of the instance profiles that node classes name included.
   * @default one role is made; the stack's output `NodeRoleName` has its name
   */
  readonly nodeRoleArns?: readonly string[];
  /** Those of them under which Windows nodes run; EKS lets a role have nodes of one kind only. @default none */
  readonly windowsNodeRoleArns?: readonly string[];
  /**
   * SSM parameters that node classes name beside AWS's own, as paths: `/golden/al2023/*`.
   * @default none
   */
  readonly ssmParameters?: readonly string[];

  /**
   * Only while a cluster still stores objects of Karpenter's v1beta1: a function behind a URL that converts them for the
   * API server. `outrigger migrate` uses it, and says when it can go.
   * @default false
   */
  readonly conversionWebhook?: boolean;

  /**
   * What becomes of nodes when the stack is deleted. `keep`: they stay, with their NodeClaims, and nobody looks after
   * them; `drain`: their pods are evicted, then they end; `force`: the same without regard to PodDisruptionBudgets and
   * `karpenter.sh/do-not-disrupt`. It must have been deployed before the deletion.
   * @default "keep"
   */
  readonly onDelete?: "keep" | "drain" | "force";
  /** How long the nodes may take to go, minutes; then the deletion fails and names what holds them. @default 30 */
  readonly drainMinutes?: number;
  /** Whether CRDs of Karpenter that are too old are brought up to date; otherwise the deployment fails. @default false */
  readonly adoptCrds?: boolean;
  /** Any text: with another one the CRDs and roles in the cluster are looked at again. @default "" */
  readonly setUpAgain?: string;

  /**
   * From where the cluster's endpoint can be reached: `limited` is a public one that is open to some addresses only. Both
   * others than `public` need the functions in the cluster's VPC.
   * @default "public", or what the cluster says that is given as `cluster`
   */
  readonly endpointAccess?: "public" | "limited" | "private";
  /** The VPC in which the functions that ask the cluster run. @default none */
  readonly vpcId?: string;
  /** Private subnets of it, with a way to AWS: a NAT gateway, or the endpoints of docs/deployment.md. @default none */
  readonly subnetIds?: readonly string[];
  /** The security group that EKS made for the cluster: a rule lets the functions in to port 443. @default none */
  readonly clusterSecurityGroupId?: string;
  /** Route tables of those subnets, where S3 has no gateway yet: it gets one. @default none */
  readonly s3RouteTableIds?: readonly string[];

  /** Whether alarms are made, about ten. @default true */
  readonly alarms?: boolean;
  /** ARN of the SNS topic that hears of them. @default none: they are seen where CloudWatch shows them */
  readonly alarmTopicArn?: string;
  /** US dollars an hour above which the nodes' cost raises an alarm. @default none */
  readonly costLimitPerHour?: number;
  /** Whether there is a dashboard. CloudWatch gives three to each account for nothing and asks $3 a month for others. @default false */
  readonly dashboard?: boolean;

  /** Name of the event bus that hears of decisions. @default none */
  readonly eventBusName?: string;
  /** Metrics written to CloudWatch beside the fixed ones, by Karpenter's names; each costs money. @default none */
  readonly extraMetrics?: readonly string[];
  /** Where all metrics are sent by Prometheus' remote write. @default nowhere */
  readonly remoteWriteUrl?: string;

  /** Karpenter: PREFERENCE_POLICY. @default "Respect" */
  readonly preferencePolicy?: "Respect" | "Ignore";
  /** Karpenter: MIN_VALUES_POLICY. @default "Strict" */
  readonly minValuesPolicy?: "Strict" | "BestEffort";
  /** Karpenter: BATCH_IDLE_DURATION, seconds. @default 1 */
  readonly batchIdleSeconds?: number;
  /** Karpenter: BATCH_MAX_DURATION, seconds. @default 10 */
  readonly batchMaxSeconds?: number;
  /** Karpenter: gate NodeRepair. @default false */
  readonly nodeRepair?: boolean;
  /** Karpenter: gate ReservedCapacity. @default true */
  readonly reservedCapacity?: boolean;
  /** Karpenter: gate SpotToSpotConsolidation. @default false */
  readonly spotToSpotConsolidation?: boolean;
  /** Karpenter: VM_MEMORY_OVERHEAD_PERCENT, a share. @default 0.075 */
  readonly vmMemoryOverheadPercent?: number;
  /** Karpenter: RESERVED_ENIS. @default 0 */
  readonly reservedEnis?: number;
  /** Karpenter: DISABLE_DRY_RUN. @default false */
  readonly disableDryRun?: boolean;
  /** Karpenter: AMI_REFRESH_INTERVAL, how long what image selectors stand for is kept, seconds; 60 at least. @default 60 */
  readonly amiRefreshSeconds?: number;
  /** Karpenter: SUBNET_REFRESH_INTERVAL, the same of subnets, seconds; 60 at least. @default 60 */
  readonly subnetRefreshSeconds?: number;
  /**
   * Karpenter: DISABLE_CLUSTER_STATE_OBSERVABILITY: `remoteWriteUrl` gets no series of single objects (pods, nodes,
   * NodePools, conditions), only what is counted and timed. `extraMetrics` names what it wants.
   * @default false
   */
  readonly disableClusterStateObservability?: boolean;
  /** Karpenter: gate NodeOverlay. Not built: `true` is refused. @default false */
  readonly nodeOverlay?: boolean;
  /** Karpenter: gate StaticCapacity. Not built: `true` is refused. @default false */
  readonly staticCapacity?: boolean;
  /** Karpenter: gate CapacityBuffer. Not built: `true` is refused. @default false */
  readonly capacityBuffer?: boolean;
  /** Karpenter: IGNORE_DRA_REQUESTS. What it switches on is not built: `false` is refused. @default true */
  readonly ignoreDraRequests?: boolean;
  /** Karpenter: ENABLE_ZONAL_SHIFT. Not built: `true` is refused. @default false */
  readonly enableZonalShift?: boolean;
  /** Karpenter: SCHEDULER_CONFIG, default spread constraints. Not built: any other text is refused. @default "" */
  readonly schedulerConfig?: string;
  /** Pods of these namespaces alone never wake a cluster at zero, nor keep its last node. @default none */
  readonly ignoreWhenAloneNamespaces?: readonly string[];

  /**
   * Times in which NodePools rest: their nodes are drained and end, and no new ones are made; see docs/deployment.md.
   * `[{ schedule: "0 20 * * mon-fri", duration: "11h", timeZone: "Europe/Berlin", nodePools: ["dev"] }]`
   * @default none
   */
  readonly offHours?: readonly OffHoursWindow[];
}

/** The defaults of what is not Karpenter's; those of Karpenter are the functions' own. */
export const defaults = {
  reaction: "minute",
  memoryMB: 512,
  logLevel: "INFO",
  logRetentionDays: 14,
  recordings: true,
  onDelete: "keep",
  drainMinutes: 30,
  alarms: true,
  dashboard: false,
} as const;
