/** Names of the Karpenter API. Karpenter: pkg/apis/v1/labels.go. */
export const group = "karpenter.sh";
export const apiVersion = "karpenter.sh/v1";

export const nodePoolLabel = "karpenter.sh/nodepool";
export const capacityTypeLabel = "karpenter.sh/capacity-type";
export const registeredLabel = "karpenter.sh/registered";
export const initializedLabel = "karpenter.sh/initialized";
export const doNotSyncTaintsLabel = "karpenter.sh/do-not-sync-taints";

export const doNotDisruptAnnotation = "karpenter.sh/do-not-disrupt";
export const nodePoolHashAnnotation = "karpenter.sh/nodepool-hash";
export const nodePoolHashVersionAnnotation = "karpenter.sh/nodepool-hash-version";
export const terminationTimestampAnnotation = "karpenter.sh/nodeclaim-termination-timestamp";
export const minValuesRelaxedAnnotation = "karpenter.sh/nodeclaim-min-values-relaxed";

export const terminationFinalizer = "karpenter.sh/termination";
export const disruptedTaintKey = "karpenter.sh/disrupted";
export const unregisteredTaintKey = "karpenter.sh/unregistered";

export const zoneLabel = "topology.kubernetes.io/zone";
export const regionLabel = "topology.kubernetes.io/region";
export const instanceTypeLabel = "node.kubernetes.io/instance-type";
export const archLabel = "kubernetes.io/arch";
export const osLabel = "kubernetes.io/os";
export const hostnameLabel = "kubernetes.io/hostname";
export const windowsBuildLabel = "node.kubernetes.io/windows-build";
export const excludeFromBalancersLabel = "node.kubernetes.io/exclude-from-external-load-balancers";

export const capacityTypes = ["reserved", "spot", "on-demand"] as const;

/** Labels that a requirement may use although the instance types do not all define them. */
export const coreWellKnownLabels: readonly string[] = [
  nodePoolLabel,
  zoneLabel,
  regionLabel,
  instanceTypeLabel,
  archLabel,
  osLabel,
  capacityTypeLabel,
  windowsBuildLabel,
];

/** Older names of the same labels, and the CSI driver's own zone label, which Karpenter's AWS provider maps too. */
export const normalizedLabels: Readonly<Record<string, string>> = {
  "failure-domain.beta.kubernetes.io/zone": zoneLabel,
  "failure-domain.beta.kubernetes.io/region": regionLabel,
  "beta.kubernetes.io/arch": archLabel,
  "beta.kubernetes.io/os": osLabel,
  "beta.kubernetes.io/instance-type": instanceTypeLabel,
  "topology.ebs.csi.aws.com/zone": zoneLabel,
};
