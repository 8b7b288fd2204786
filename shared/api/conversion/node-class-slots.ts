/**
 * Karpenter counterpart: pkg/apis/v1/ec2nodeclass_conversion.go of v1.0. It differs: the hop limit that v1beta1 had by
 * default is written down, since v1 has another default.
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import { amiSlot } from "./ami-slot.ts";
import { given } from "./json-fields.ts";
import { newFieldsSlot } from "./node-slots.ts";
import type { Slot } from "./slot.ts";

/** Karpenter v1beta1: EC2NodeClassSpec.MetadataOptions. */
const betaHopLimit = 2;

/** The options with v1beta1's hop limit written down where none is; what is no object is passed on as it is. */
export function withBetaHopLimit(metadataOptions: Json | undefined): Json {
  if (metadataOptions !== undefined && !isJsonObject(metadataOptions)) return metadataOptions;
  return { ...metadataOptions, httpPutResponseHopLimit: metadataOptions?.httpPutResponseHopLimit ?? betaHopLimit };
}

const metadataOptionsSlot: Slot = {
  name: "metadata-options",
  beta: [["spec", "metadataOptions"]],
  v1: [["spec", "metadataOptions"]],
  up: ({ metadataOptions }) => ({ metadataOptions: withBetaHopLimit(metadataOptions) }),
  down: (value) => value,
};

const blockDevicesSlot: Slot = {
  name: "block-devices",
  beta: [["spec", "blockDeviceMappings"]],
  v1: [["spec", "blockDeviceMappings"]],
  up: (value) => value,
  down: ({ blockDeviceMappings: mappings }) =>
    given("blockDeviceMappings", Array.isArray(mappings) ? mappings.map(downgradedMapping) : mappings),
};

function downgradedMapping(mapping: Json): Json {
  if (!isJsonObject(mapping) || !isJsonObject(mapping.ebs)) return mapping;
  const { volumeInitializationRate: _, ...ebs } = mapping.ebs;
  return { ...mapping, ebs };
}

export const nodeClassSlots: readonly Slot[] = [
  amiSlot,
  metadataOptionsSlot,
  blockDevicesSlot,
  newFieldsSlot(
    ["spec"],
    [
      "kubelet",
      "capacityReservationSelectorTerms",
      "placementGroupSelector",
      "ipPrefixCount",
      "networkInterfaces",
      "connectionTracking",
      "cpuOptions",
    ],
  ),
];
