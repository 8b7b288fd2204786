/**
 * Karpenter counterpart: pkg/apis/v1/labels.go of its AWS provider; the names are its own. No difference, except that
 * the labels of capacity reservations and placement groups are known here and never set yet.
 */
const domain = "karpenter.k8s.aws";

export const cpuLabel = `${domain}/instance-cpu`;
export const cpuManufacturerLabel = `${domain}/instance-cpu-manufacturer`;
export const clockSpeedLabel = `${domain}/instance-cpu-sustained-clock-speed-mhz`;
export const memoryLabel = `${domain}/instance-memory`;
export const ebsBandwidthLabel = `${domain}/instance-ebs-bandwidth`;
export const networkBandwidthLabel = `${domain}/instance-network-bandwidth`;
export const categoryLabel = `${domain}/instance-category`;
export const generationLabel = `${domain}/instance-generation`;
export const familyLabel = `${domain}/instance-family`;
export const sizeLabel = `${domain}/instance-size`;
export const flexLabel = `${domain}/instance-capability-flex`;
export const localNvmeLabel = `${domain}/instance-local-nvme`;
export const gpuNameLabel = `${domain}/instance-gpu-name`;
export const gpuManufacturerLabel = `${domain}/instance-gpu-manufacturer`;
export const gpuCountLabel = `${domain}/instance-gpu-count`;
export const gpuMemoryLabel = `${domain}/instance-gpu-memory`;
export const acceleratorNameLabel = `${domain}/instance-accelerator-name`;
export const acceleratorManufacturerLabel = `${domain}/instance-accelerator-manufacturer`;
export const acceleratorCountLabel = `${domain}/instance-accelerator-count`;
export const hypervisorLabel = `${domain}/instance-hypervisor`;
export const encryptionLabel = `${domain}/instance-encryption-in-transit-supported`;
/** Karpenter gave this one no `instance-` prefix. */
export const nitroSandboxLabel = `${domain}/nitro-sandbox`;
export const tenancyLabel = `${domain}/instance-tenancy`;
export const zoneIdLabel = "topology.k8s.aws/zone-id";

/** Labels that no type of ours carries yet: they need capacity reservations and placement groups. */
export const reservationIdLabel = `${domain}/capacity-reservation-id`;
export const reservationTypeLabel = `${domain}/capacity-reservation-type`;
export const reservationInterruptibleLabel = `${domain}/capacity-reservation-interruptible`;
export const placementGroupIdLabel = `${domain}/placement-group-id`;
export const placementGroupPartitionLabel = `${domain}/placement-group-partition`;
export const reservationLabels: readonly string[] = [
  reservationIdLabel,
  reservationTypeLabel,
  reservationInterruptibleLabel,
];
export const placementGroupLabels: readonly string[] = [placementGroupIdLabel, placementGroupPartitionLabel];

/** Beyond the core's own list; in the order of the constants above. */
export const ec2WellKnownLabels: readonly string[] = [
  cpuLabel,
  cpuManufacturerLabel,
  clockSpeedLabel,
  memoryLabel,
  ebsBandwidthLabel,
  networkBandwidthLabel,
  categoryLabel,
  generationLabel,
  familyLabel,
  sizeLabel,
  flexLabel,
  localNvmeLabel,
  gpuNameLabel,
  gpuManufacturerLabel,
  gpuCountLabel,
  gpuMemoryLabel,
  acceleratorNameLabel,
  acceleratorManufacturerLabel,
  acceleratorCountLabel,
  hypervisorLabel,
  encryptionLabel,
  nitroSandboxLabel,
  tenancyLabel,
  zoneIdLabel,
  ...reservationLabels,
  ...placementGroupLabels,
];

/** On an EC2NodeClass and on its NodeClaims: what the class was when the node was made. */
export const classHashAnnotation = `${domain}/ec2nodeclass-hash`;
export const classHashVersionAnnotation = `${domain}/ec2nodeclass-hash-version`;
/** On a NodeClaim: the profile that its instance runs under, so that it is not collected while in use. */
export const instanceProfileAnnotation = `${domain}/instance-profile-name`;
