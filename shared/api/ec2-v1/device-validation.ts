/**
 * Karpenter counterpart: blockDeviceMappings and networkInterfaces of the EC2NodeClass CRD. It differs: Karpenter's
 * pattern of volumeSize leaves out some sizes between 18Ti and 57Ti and lets a unit without a number through.
 */
import { list } from "../shape/collection.ts";
import { object, optional, required } from "../shape/object.ts";
import { boolean, integer, maxInt32, oneOf, text } from "../shape/scalar.ts";
import type { Rule, Shape } from "../shape/shape.ts";
import type { BlockDevice, BlockDeviceMapping, NetworkInterface } from "./ec2nodeclass.ts";

const complete = { complete: true };
const maxBlockDevices = 50;
const maxNetworkInterfaces = 150;

/** 1 to 59000 Gi, 64000 G, 58 Ti or 64 T. */
const volumeSizePattern =
  /^(([1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi|([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G|([1-9]|[1-4][0-9]|5[0-8])Ti|([1-9]|[1-5][0-9]|6[0-4])T)$/;

const snapshotOrSize: Rule<BlockDevice> = ({ snapshotID, volumeSize, volumeInitializationRate }, note) => {
  if (snapshotID === undefined && volumeSize === undefined) note("must have snapshotID or volumeSize");
  if (volumeInitializationRate !== undefined && (snapshotID ?? "") === "") {
    note("needs a snapshotID: it is the speed of copying the snapshot", "volumeInitializationRate");
  }
};

const ebs: Shape<BlockDevice> = object<BlockDevice>(
  {
    deleteOnTermination: optional(boolean),
    encrypted: optional(boolean),
    iops: optional(integer()),
    kmsKeyID: optional(text()),
    snapshotID: optional(text()),
    throughput: optional(integer()),
    volumeInitializationRate: optional(integer(100, 300)),
    volumeSize: optional(
      text({
        pattern: volumeSizePattern,
        expects: "a size in whole Gi, G, Ti or T, at most 59000Gi or 64T, such as 100Gi",
      }),
    ),
    volumeType: optional(oneOf(["standard", "io1", "io2", "gp2", "sc1", "st1", "gp3"])),
  },
  { ...complete, rules: [snapshotOrSize] },
);

const oneRootVolume: Rule<readonly BlockDeviceMapping[]> = (mappings, note) => {
  const roots = mappings.flatMap((mapping, index) => (mapping.rootVolume === true ? [index] : []));
  for (const index of roots.slice(1)) note("must not be a second root volume", index, "rootVolume");
};

export const blockDeviceMappings: Shape<readonly BlockDeviceMapping[]> = list(
  object<BlockDeviceMapping>(
    { deviceName: optional(text()), ebs: optional(ebs), rootVolume: optional(boolean) },
    complete,
  ),
  { max: maxBlockDevices, rules: [oneRootVolume] },
);

const primaryInterface: Rule<readonly NetworkInterface[]> = (interfaces, note) => {
  const isPrimary = (nic: NetworkInterface): boolean =>
    nic.networkCardIndex === 0 && nic.deviceIndex === 0 && nic.interfaceType === "interface";
  if (!interfaces.some(isPrimary))
    note("must have an interface with networkCardIndex 0, deviceIndex 0 and interfaceType interface");
};

const oneEfaOnlyPerCard: Rule<readonly NetworkInterface[]> = (interfaces, note) => {
  const cards = new Set<number>();
  interfaces.forEach((nic, index) => {
    if (nic.interfaceType !== "efa-only") return;
    if (cards.has(nic.networkCardIndex))
      note(`must not be a second efa-only of network card ${nic.networkCardIndex}`, index);
    cards.add(nic.networkCardIndex);
  });
};

export const networkInterfaces: Shape<readonly NetworkInterface[]> = list(
  object<NetworkInterface>(
    {
      networkCardIndex: required(integer(0, maxInt32)),
      deviceIndex: required(integer(0, maxInt32)),
      interfaceType: required(oneOf(["interface", "efa-only"])),
    },
    complete,
  ),
  {
    max: maxNetworkInterfaces,
    key: (nic) => `network card ${nic.networkCardIndex}, device ${nic.deviceIndex}`,
    rules: [primaryInterface, oneEfaOnlyPerCard],
  },
);
