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
}

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
}
