/**
 * Which driver attaches a volume, and how an attachment is counted. Karpenter counterpart: pkg/scheduling/volumeusage.go,
 * ResolveDriver. It differs: an attachment is an amount of a pseudo-resource, so that counting it is adding vectors; a
 * volume that a pod names inline counts too.
 */
import type { PersistentVolume, StorageClass } from "#api/core-v1/cluster-objects.ts";

const ebsDriver = "ebs.csi.aws.com";

/** Kubernetes' own plugins, which hand their volumes to these drivers (k8s.io/csi-translation-lib). */
const driverOfPlugin: Readonly<Record<string, string>> = {
  "kubernetes.io/aws-ebs": ebsDriver,
  "kubernetes.io/azure-disk": "disk.csi.azure.com",
  "kubernetes.io/azure-file": "file.csi.azure.com",
  "kubernetes.io/cinder": "cinder.csi.openstack.org",
  "kubernetes.io/gce-pd": "pd.csi.storage.gke.io",
  "kubernetes.io/portworx-volume": "pxd.portworx.com",
  "kubernetes.io/vsphere-volume": "csi.vsphere.vmware.com",
};

/** Kubernetes: GetCSIAttachLimitKey. */
const prefix = "attachable-volumes-csi-";

/** The pseudo-resource that counts what one driver attaches to a node. */
export function attachmentResource(driver: string): string {
  return `${prefix}${driver}`;
}

/** The driver whose attachments the resource counts; undefined for every real resource. */
export function driverOfResource(resource: string): string | undefined {
  return resource.startsWith(prefix) ? resource.slice(prefix.length) : undefined;
}

/** Undefined: no CSI driver, nothing is counted. */
export function driverOfVolume({ spec }: PersistentVolume): string | undefined {
  return spec.csi?.driver ?? (spec.awsElasticBlockStore === undefined ? undefined : ebsDriver);
}

export function driverOfClass({ provisioner }: StorageClass): string {
  return Object.hasOwn(driverOfPlugin, provisioner) ? (driverOfPlugin[provisioner] ?? provisioner) : provisioner;
}

/** Of a volume that stands in the pod itself. */
export function driverOfInline(volume: {
  readonly csi?: { readonly driver: string };
  readonly awsElasticBlockStore?: object;
}): string | undefined {
  return volume.csi?.driver ?? (volume.awsElasticBlockStore === undefined ? undefined : ebsDriver);
}
