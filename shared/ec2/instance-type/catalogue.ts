/**
 * Karpenter counterpart: none, because its AWS provider keeps EC2's own answers in memory and refreshes them each 12 h
 * (pkg/providers/instancetype, pkg/providers/pricing). It differs: what it needs of them is one file a region, written by
 * a function of its own, so that a cold start reads no page of EC2.
 */

/** What DescribeInstanceTypes, DescribeInstanceTypeOfferings and the price sources say, in one file a region. */
export interface Catalogue {
  readonly version: 1;
  readonly region: string;
  /** ISO date of the data. */
  readonly date: string;
  /** Where specs and prices come from, for people. */
  readonly source: string;
  readonly writtenAtMs: number;
  readonly types: readonly CatalogueType[];
}

export interface CatalogueType {
  readonly name: string;
  readonly arch: "amd64" | "arm64";
  readonly vcpus: number;
  readonly memoryMiB: number;
  /** Of the default network card. */
  readonly enis: number;
  readonly ipv4PerEni: number;
  readonly cpuManufacturer: string;
  readonly clockMhz?: number;
  readonly hypervisor: "nitro" | "xen" | "";
  readonly bareMetal: boolean;
  readonly networkMbps?: number;
  readonly ebsMbps?: number;
  readonly nvmeGB?: number;
  readonly gpu?: {
    readonly name: string;
    readonly manufacturer: string;
    readonly count: number;
    readonly memoryMiB: number;
  };
  readonly accelerator?: {
    readonly name: string;
    readonly manufacturer: string;
    readonly count: number;
    readonly coresPerDevice: number;
  };
  readonly efaInterfaces?: number;
  readonly branchInterfaces?: number;
  readonly encryptionInTransit: boolean;
  readonly nitroEnclaves: boolean;
  readonly nestedVirtualization?: boolean;
  readonly usageClasses: readonly ("on-demand" | "spot")[];
  readonly zones: readonly string[];
  readonly onDemandPerHour?: number;
  /** By zone; absent where there is no spot price. */
  readonly spotPerHour: Readonly<Record<string, number>>;
}
