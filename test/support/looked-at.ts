import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandRun, outrigger } from "../simulation/command-line.ts";

/** `outrigger <words> -f <a file with these manifests>`. */
export async function lookedAt(manifests: string, ...words: readonly string[]): Promise<CommandRun> {
  const directory = mkdtempSync(join(tmpdir(), "outrigger-look-"));
  try {
    const file = join(directory, "manifests.yaml");
    writeFileSync(file, manifests);
    return await outrigger(...words, "-f", file);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

export function pod(name: string, cpu: string, more = ""): string {
  return `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  containers: [{name: c, image: i, resources: {requests: {cpu: "${cpu}"}}}]\n${more}---\n`;
}

export function deployment(name: string, replicas: number, cpu: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers: [{name: c, image: i, resources: {requests: {cpu: "${cpu}"}}}]
---
`;
}

export function pool(name: string, more = "", capacityType = "on-demand"): string {
  return `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ${name}}
spec:
${more}  template:
    spec:
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [${capacityType}]}]
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
---
`;
}

export const nodeClass = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: node
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: mine}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: mine}}]
---
`;

/** A node that Outrigger made, with its claim. */
export function nodeWithClaim(name: string, nodePool: string, cpu: string): string {
  const labels = `{karpenter.sh/nodepool: ${nodePool}, node.kubernetes.io/instance-type: m6i.large, topology.kubernetes.io/zone: us-east-1a, karpenter.sh/capacity-type: on-demand, karpenter.sh/registered: "true", karpenter.sh/initialized: "true", kubernetes.io/hostname: ${name}}`;
  const at = "2026-10-27T07:00:00Z";
  const condition = (type: string): string =>
    `{type: ${type}, status: "True", reason: ${type}, message: "", lastTransitionTime: "${at}"}`;
  return `apiVersion: v1
kind: Node
metadata: {name: ${name}, uid: node-${name}, creationTimestamp: "${at}", labels: ${labels}}
spec: {providerID: "aws:///us-east-1a/i-0123456789abcdef0"}
status:
  capacity: {cpu: "${cpu}", memory: 8Gi, pods: "29"}
  allocatable: {cpu: "${cpu}", memory: 7Gi, pods: "29"}
  conditions: [{type: Ready, status: "True"}]
---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: claim-${name}, uid: claim-${name}, creationTimestamp: "${at}", labels: ${labels}, finalizers: [karpenter.sh/termination]}
spec:
  requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
status:
  providerID: "aws:///us-east-1a/i-0123456789abcdef0"
  nodeName: ${name}
  capacity: {cpu: "${cpu}", memory: 8Gi, pods: "29"}
  allocatable: {cpu: "${cpu}", memory: 7Gi, pods: "29"}
  conditions: [${["Launched", "Registered", "Initialized", "Ready"].map(condition).join(", ")}]
---
`;
}
