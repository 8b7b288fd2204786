import type { Catalogue } from "#ec2/instance-type/catalogue.ts";
import type { Ec2Delays } from "./delays.ts";
import type { BusManners } from "./event-bus.ts";
import type { LatestVersions } from "./published-image.ts";

export interface Ec2Options {
  readonly seed: number;
  readonly catalogue: Catalogue;
  /** Instances tagged for another cluster are not shown. */
  readonly clusterName: string;
  readonly account?: string;
  /**
   * Subnets, security groups, images, profiles that a user names exist (default). False: only what the account was
   * made with, for tests of selectors that find nothing.
   */
  readonly obliging?: boolean;
  readonly delays?: Partial<Ec2Delays>;
  readonly manners?: BusManners;
  /** Spot interruptions per instance and hour; 0 (default): only scripted ones. */
  readonly interruptionsPerHour?: number;
  readonly latest?: Partial<LatestVersions>;
}
