import type { EC2Client } from "@aws-sdk/client-ec2";
import type { CatalogueStore } from "./catalogue-store.ts";
import type { AwsClients } from "./clients.ts";
import type { ReadCache } from "./read-cache.ts";

/** Karpenter: one minute for what selectors stand for, that of images and subnets by settings. */
export const selectorKeptMs = 60_000;

/** How long what selectors stand for is kept, ms. */
export interface Refresh {
  readonly imagesMs: number;
  readonly subnetsMs: number;
}

/** What the reads of a tick are made with. */
export interface Reader {
  readonly clients: AwsClients["reading"];
  /** For calls that are tried and not made; never repeated. */
  readonly dryRunner: EC2Client;
  readonly cache: ReadCache;
  readonly refresh: Refresh;
  readonly catalogue: CatalogueStore | undefined;
  readonly clusterName: string;
  readonly region: string;
}
