/** Objects as Karpenter 0.37 keeps them, in v1beta1. */
const nodeClassRef = { apiVersion: "karpenter.k8s.aws/v1beta1", kind: "EC2NodeClass", name: "default" };
const requirements = [{ key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] }];

export const betaNodePool = {
  ...{ apiVersion: "karpenter.sh/v1beta1", kind: "NodePool", metadata: { name: "default" } },
  spec: {
    template: { spec: { nodeClassRef, requirements, kubelet: { maxPods: 40 } } },
    disruption: { consolidationPolicy: "WhenUnderutilized", expireAfter: "240h" },
    limits: { cpu: "100" },
  },
};

export const betaNodeClass = {
  ...{ apiVersion: "karpenter.k8s.aws/v1beta1", kind: "EC2NodeClass", metadata: { name: "default" } },
  spec: {
    amiFamily: "AL2023",
    role: "nodes",
    subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "e2e" } }],
    securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "e2e" } }],
    // Filled in by the CRD of 0.37.
    metadataOptions: {
      httpEndpoint: "enabled",
      httpProtocolIPv6: "disabled",
      httpPutResponseHopLimit: 2,
      httpTokens: "required",
    },
  },
};

export function betaNodeClaim(name: string): object {
  return {
    apiVersion: "karpenter.sh/v1beta1",
    kind: "NodeClaim",
    metadata: { name, labels: { "karpenter.sh/nodepool": "default" }, finalizers: ["karpenter.sh/termination"] },
    spec: { nodeClassRef, requirements, kubelet: { maxPods: 40 }, resources: { requests: { cpu: "1" } } },
  };
}

export const betaClaimStatus = {
  nodeName: "ip-10-0-0-1",
  providerID: "aws:///us-east-1a/i-0123456789abcdef0",
  imageID: "ami-1",
  capacity: { cpu: "2" },
  allocatable: { cpu: "1930m" },
};
