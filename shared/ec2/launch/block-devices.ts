/**
 * Karpenter counterpart: the default block devices of pkg/providers/amifamily and their form in a launch template. It
 * differs: a mapping without `ebs` says nothing to EC2 and is left out.
 */
import type { Json } from "#api/core-v1/meta.ts";
import type { AmiFamily, BlockDeviceMapping, EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import { quantityToInteger } from "#api/quantity.ts";
import { amiFamilyOf } from "../node-class/ami-alias.ts";

const gib = 1_073_741_824;

function volume(deviceName: string, volumeSize: string): BlockDeviceMapping {
  return { deviceName, ebs: { encrypted: true, volumeType: "gp3", volumeSize } };
}

const linux: readonly BlockDeviceMapping[] = [volume("/dev/xvda", "20Gi")];
const windows: readonly BlockDeviceMapping[] = [volume("/dev/sda1", "50Gi")];
const defaults: Readonly<Record<AmiFamily, readonly BlockDeviceMapping[]>> = {
  AL2: linux,
  AL2023: linux,
  Bottlerocket: [volume("/dev/xvda", "4Gi"), volume("/dev/xvdb", "20Gi")],
  Windows2019: windows,
  Windows2022: windows,
  Windows2025: windows,
  // The image decides.
  Custom: [],
};

/** BlockDeviceMappings of a launch template. */
export function blockDevices(spec: EC2NodeClassSpec): readonly Json[] {
  const own = spec.blockDeviceMappings ?? [];
  const mappings = own.length > 0 ? own : defaults[amiFamilyOf(spec)];
  return mappings.flatMap(({ deviceName, ebs }) => {
    if (deviceName === undefined || ebs === undefined) return [];
    const bytes =
      ebs.volumeSize === undefined ? undefined : quantityToInteger("ephemeral-storage", ebs.volumeSize, "up");
    return [
      {
        DeviceName: deviceName,
        Ebs: defined({
          DeleteOnTermination: ebs.deleteOnTermination,
          Encrypted: ebs.encrypted,
          Iops: ebs.iops,
          KmsKeyId: ebs.kmsKeyID,
          SnapshotId: ebs.snapshotID,
          Throughput: ebs.throughput,
          VolumeInitializationRate: ebs.volumeInitializationRate,
          // EC2 takes whole gibibytes.
          VolumeSize: bytes === undefined ? undefined : Math.ceil(bytes / gib),
          VolumeType: ebs.volumeType,
        }),
      },
    ];
  });
}

/** Without the fields that are undefined. */
export function defined(fields: Readonly<Record<string, Json | undefined>>): Readonly<Record<string, Json>> {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) kept[name] = value;
  return kept;
}
