import type { Condition, KubeObject, ResourceList } from "../core-v1/meta.ts";
import type { RequirementSpec } from "../karpenter-v1/requirement.ts";

export const ec2Group = "karpenter.k8s.aws";
export const ec2ApiVersion = "karpenter.k8s.aws/v1";
export const ec2NodeClassKind = "EC2NodeClass";
export const ec2NodeClassLabel = "karpenter.k8s.aws/ec2nodeclass";
export const ec2TerminationFinalizer = "karpenter.k8s.aws/termination";

export const amiFamilies = [
  "AL2",
  "AL2023",
  "Bottlerocket",
  "Custom",
  "Windows2019",
  "Windows2022",
  "Windows2025",
] as const;
export type AmiFamily = (typeof amiFamilies)[number];

export type Tags = Readonly<Record<string, string>>;

export interface SubnetSelectorTerm {
  readonly tags?: Tags;
  readonly id?: string;
}
export interface SecurityGroupSelectorTerm {
  readonly tags?: Tags;
  readonly id?: string;
  readonly name?: string;
}
export interface AmiSelectorTerm {
  readonly alias?: string;
  readonly tags?: Tags;
  readonly id?: string;
  readonly name?: string;
  readonly owner?: string;
  readonly ssmParameter?: string;
}
export interface CapacityReservationSelectorTerm {
  readonly tags?: Tags;
  readonly id?: string;
  readonly ownerID?: string;
  readonly instanceMatchCriteria?: "open" | "targeted";
}

export interface BlockDevice {
  readonly deleteOnTermination?: boolean;
  readonly encrypted?: boolean;
  readonly iops?: number;
  readonly kmsKeyID?: string;
  readonly snapshotID?: string;
  readonly throughput?: number;
  readonly volumeInitializationRate?: number;
  readonly volumeSize?: string;
  readonly volumeType?: "standard" | "io1" | "io2" | "gp2" | "sc1" | "st1" | "gp3";
}
export interface BlockDeviceMapping {
  readonly deviceName?: string;
  readonly ebs?: BlockDevice;
  readonly rootVolume?: boolean;
}

/** Karpenter 1.14's typed kubelet. */
export interface KubeletConfiguration {
  readonly clusterDNS?: readonly string[];
  readonly maxPods?: number;
  readonly podsPerCore?: number;
  readonly systemReserved?: ResourceList;
  readonly kubeReserved?: ResourceList;
  readonly evictionHard?: Readonly<Record<string, string>>;
  readonly evictionSoft?: Readonly<Record<string, string>>;
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>>;
  readonly evictionMaxPodGracePeriod?: number;
  readonly imageGCHighThresholdPercent?: number;
  readonly imageGCLowThresholdPercent?: number;
  readonly cpuCFSQuota?: boolean;
}

export interface MetadataOptions {
  readonly httpEndpoint?: "enabled" | "disabled";
  readonly httpProtocolIPv6?: "enabled" | "disabled";
  readonly httpPutResponseHopLimit?: number;
  readonly httpTokens?: "required" | "optional";
}

export interface NetworkInterface {
  readonly networkCardIndex: number;
  readonly deviceIndex: number;
  readonly interfaceType: "interface" | "efa-only";
}

export interface EC2NodeClassSpec {
  readonly subnetSelectorTerms: readonly SubnetSelectorTerm[];
  readonly securityGroupSelectorTerms: readonly SecurityGroupSelectorTerm[];
  readonly amiSelectorTerms: readonly AmiSelectorTerm[];
  readonly capacityReservationSelectorTerms?: readonly CapacityReservationSelectorTerm[];
  readonly placementGroupSelector?: { readonly name?: string; readonly id?: string };
  readonly amiFamily?: AmiFamily;
  readonly associatePublicIPAddress?: boolean;
  readonly ipPrefixCount?: number;
  readonly userData?: string;
  readonly role?: string;
  readonly instanceProfile?: string;
  readonly tags?: Tags;
  readonly kubelet?: KubeletConfiguration;
  readonly blockDeviceMappings?: readonly BlockDeviceMapping[];
  readonly instanceStorePolicy?: "RAID0";
  readonly networkInterfaces?: readonly NetworkInterface[];
  readonly detailedMonitoring?: boolean;
  readonly metadataOptions?: MetadataOptions;
  readonly connectionTracking?: {
    readonly tcpEstablishedTimeout?: number;
    readonly udpStreamTimeout?: number;
    readonly udpTimeout?: number;
  };
  readonly context?: string;
  readonly cpuOptions?: { readonly nestedVirtualization?: "enabled" | "disabled" };
}

export interface EC2NodeClassStatus {
  readonly subnets?: readonly { readonly id: string; readonly zone: string; readonly zoneID?: string }[];
  readonly securityGroups?: readonly { readonly id: string; readonly name?: string }[];
  readonly amis?: readonly {
    readonly id: string;
    readonly name?: string;
    readonly deprecated?: boolean;
    readonly requirements: readonly RequirementSpec[];
  }[];
  readonly capacityReservations?: readonly {
    readonly id: string;
    readonly availabilityZone: string;
    readonly instanceType: string;
    readonly instanceMatchCriteria: "open" | "targeted";
    readonly ownerID: string;
    readonly endTime?: string;
    readonly interruptible?: boolean;
    readonly reservationType?: "default" | "capacity-block";
    readonly state?: "active" | "expiring";
  }[];
  readonly instanceProfile?: string;
  readonly conditions?: readonly Condition[];
}

export interface EC2NodeClass extends KubeObject {
  readonly spec: EC2NodeClassSpec;
  readonly status?: EC2NodeClassStatus;
}
