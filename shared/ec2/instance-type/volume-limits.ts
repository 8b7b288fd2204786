/**
 * How many EBS volumes a node of a type attaches at least, until its CSINode tells. Karpenter counterpart: none; it takes
 * a node without CSINode for one without limit, and pods with volumes pile up on it. The figures are those that the EBS
 * CSI driver starts from. Types with a larger limit of their own for volumes are held to the shared one: a smaller figure
 * costs a node in rare cases, a larger one leaves a pod waiting.
 */
import type { CatalogueType } from "./catalogue.ts";

const driver = "ebs.csi.aws.com";

/** EC2: attachments of a Nitro instance, shared by volumes, network interfaces, NVMe disks and accelerators. */
const nitroAttachments = 28;
/** EC2: the most volumes that instances of older kinds should be given. */
const xenAttachments = 39;
const rootVolumes = 1;
/** The first interface, and the one that the VPC CNI keeps warm. */
const interfacesAtStart = 2;
/** The catalogue knows how much NVMe storage there is, not on how many disks: the smallest disk of large types, and the most disks. */
const smallestNvmeGB = 900;
const nvmeDisksMax = 8;

export function volumeLimitsOf(type: CatalogueType): Readonly<Record<string, number>> {
  if (type.hypervisor === "xen") return { [driver]: xenAttachments - rootVolumes };
  const disks = Math.min(nvmeDisksMax, Math.ceil((type.nvmeGB ?? 0) / smallestNvmeGB));
  const devices = (type.gpu?.count ?? 0) + (type.accelerator?.count ?? 0);
  return { [driver]: Math.max(1, nitroAttachments - rootVolumes - interfacesAtStart - disks - devices) };
}
