/**
 * Karpenter counterpart: none, because its providers answer from calls and caches. Here the answers are plain data in the
 * snapshot, found by the query that asked for them.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { Catalogue } from "./instance-type/catalogue.ts";

export interface Filter {
  readonly name: string;
  readonly values: readonly string[];
}

/**
 * One Describe call; `key` is a canonical text of it, by which the answer is found again.
 *
 * An `image-id` value may be `resolve:ssm:<parameter>` (EC2's own spelling in a launch template): whoever answers reads
 * `parameters` first, sends `withParameters(query, parameters)` (node-class/image-query.ts) and files the answer under
 * the original key.
 */
export interface FilterQuery {
  readonly key: string;
  readonly filters: readonly Filter[];
  /** Images only. */
  readonly owners?: readonly string[];
}

/** What to read of EC2, SSM and IAM for the node classes that exist. */
export interface Ec2Query {
  readonly subnets: readonly FilterQuery[];
  readonly securityGroups: readonly FilterQuery[];
  readonly images: readonly FilterQuery[];
  readonly parameters: readonly string[];
  /** Node roles that need an instance profile. */
  readonly roles: readonly string[];
  /** A `reservation-id` filter names ids. */
  readonly capacityReservations?: readonly FilterQuery[];
  /** Filters `group-name` and `group-id`. */
  readonly placementGroups?: readonly FilterQuery[];
  /** One a class that is resolved. */
  readonly dryRuns?: readonly DryRun[];
}

/** A launch that is tried and not made, to find what is not allowed before a pod waits for it. */
export interface DryRun {
  readonly key: string;
  /** For the fleet; made by a command, and so not there at first. */
  readonly launchTemplate: string;
  readonly imageId: string;
  readonly instanceType: string;
  /** Any of them. */
  readonly subnetIds: readonly string[];
  readonly securityGroupIds: readonly string[];
  readonly instanceProfile: string;
  /** In EC2's fields, as a launch template has them: what accounts make rules about. The interface lacks its subnet. */
  readonly details?: Readonly<Record<string, Json>>;
  readonly tags: Readonly<Record<string, string>>;
}

export type DryRunAnswer =
  | { readonly kind: "allowed" }
  | { readonly kind: "profile-missing"; readonly message: string }
  | {
      readonly kind: "forbidden";
      readonly call: "CreateLaunchTemplate" | "CreateFleet" | "RunInstances";
      readonly message: string;
    };

export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneId: string;
  readonly freeAddresses: number;
}

export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
}

export interface Image {
  readonly id: string;
  readonly name: string;
  readonly arch: "amd64" | "arm64";
  readonly createdAt: string;
  readonly deprecatedAt?: string;
}

export interface CapacityReservation {
  readonly id: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly ownerId: string;
  /** Instances that it can still give. */
  readonly availableCount: number;
  /** "open", "targeted"; others are not ours to use. */
  readonly matchCriteria: string;
  /** "default", "capacity-block"; others are not ours to use. */
  readonly reservationType: string;
  readonly interruptible: boolean;
  readonly endAt?: string;
}

export interface PlacementGroup {
  readonly id: string;
  readonly name: string;
  /** "cluster", "spread", "partition". */
  readonly strategy: string;
  readonly partitions?: number;
}

/** A running instance of the account that EC2 has something to say about. */
export interface InstanceStatus {
  readonly instanceId: string;
  readonly instanceFailedSinceMs?: number;
  readonly systemFailedSinceMs?: number;
  /** Codes of scheduled events that are not over, sorted. */
  readonly events: readonly string[];
}

/** An instance profile below the cluster's path: made by this product or by Karpenter for a node class. */
export interface OwnProfile {
  readonly name: string;
  readonly role?: string;
  readonly createdAtMs: number;
}

/** A launch template with the cluster's tag. */
export interface OwnTemplate {
  readonly name: string;
  readonly createdAtMs: number;
  readonly nodeClass?: string;
  /** The cluster's identity that it carries. */
  readonly clusterIdentity?: string;
}

/** What a node must know of its cluster to join it. */
export interface ClusterFacts {
  readonly endpoint: string;
  /** Base64, as EKS gives it. */
  readonly certificateAuthority: string;
  /** IPv4 or IPv6. */
  readonly serviceCidr: string;
  /** "API", "API_AND_CONFIG_MAP", "CONFIG_MAP". */
  readonly authenticationMode?: string;
}

/** How a node role gets into the cluster: the type of its access entry; absent where it has none. */
export interface NodeRole {
  readonly entryType?: string;
}

/**
 * The answers, by the query's key; SSM parameters that do not exist are absent; roles without a profile are absent.
 * A field that is named in the observation's `incomplete` may lack something: nothing is concluded from it.
 */
export interface Ec2View {
  /** Absent until the catalogue was written: launches wait. */
  readonly catalogue?: Catalogue;
  readonly subnets: Readonly<Record<string, readonly Subnet[]>>;
  readonly securityGroups: Readonly<Record<string, readonly SecurityGroup[]>>;
  readonly images: Readonly<Record<string, readonly Image[]>>;
  readonly parameters: Readonly<Record<string, string>>;
  readonly instanceProfiles: Readonly<Record<string, string>>;
  readonly capacityReservations?: Readonly<Record<string, readonly CapacityReservation[]>>;
  readonly placementGroups?: Readonly<Record<string, readonly PlacementGroup[]>>;
  /** By instance id; absent when they were not looked at. */
  readonly statuses?: readonly InstanceStatus[];
  /** By name; absent when they could not be read: nothing is collected then. */
  readonly ownProfiles?: readonly OwnProfile[];
  readonly ownTemplates?: readonly OwnTemplate[];
  readonly clusterFacts?: ClusterFacts;
  /** By role; absent when they were not looked at. */
  readonly nodeRoles?: Readonly<Record<string, NodeRole>>;
  /** By key; absent where it could not be tried. */
  readonly dryRuns?: Readonly<Record<string, DryRunAnswer>>;
  /** What was refused for good, in words: by a query's key, a parameter's name, or `instanceProfiles`. */
  readonly refusals?: Readonly<Record<string, string>>;
}
