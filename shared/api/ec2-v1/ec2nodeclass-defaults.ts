import type { MetadataOptions } from "./ec2nodeclass.ts";

/** IMDSv2 only, not reachable from pods. Karpenter: the default of the object and of each of its fields. */
export const defaultMetadataOptions = {
  httpEndpoint: "enabled",
  httpProtocolIPv6: "disabled",
  httpPutResponseHopLimit: 1,
  httpTokens: "required",
} as const satisfies MetadataOptions;
