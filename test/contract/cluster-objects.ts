import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { decisionAnnotation } from "#api/outrigger-names.ts";

const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };

export function nodeClaim(name: string, decision = "d1"): NodeClaim {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: { name, annotations: { [decisionAnnotation]: decision }, finalizers: ["karpenter.sh/termination"] },
    spec: { nodeClassRef, requirements: [{ key: "kubernetes.io/arch", operator: "In", values: ["amd64"] }] },
  };
}

export function nodePool(name: string): object {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: { template: { spec: { nodeClassRef, requirements: [] } } },
  };
}

export function node(name: string, ready = true): object {
  const now = "2026-01-01T00:00:00Z";
  const conditions = [
    {
      type: "Ready",
      status: "True",
      reason: "KubeletReady",
      message: "",
      lastTransitionTime: now,
      lastHeartbeatTime: now,
    },
  ];
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    spec: { providerID: `sim:///${name}` },
    status: {
      capacity: { cpu: "4", memory: "8Gi", pods: "10" },
      allocatable: { cpu: "4", memory: "8Gi", pods: "10" },
      ...(ready ? { conditions } : {}),
    },
  };
}

export function pod(
  name: string,
  more: { readonly nodeName?: string; readonly app?: string; readonly cpu?: string } = {},
): object {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: more.app ?? name } },
    spec: {
      ...(more.nodeName === undefined ? {} : { nodeName: more.nodeName }),
      containers: [{ name: "main", image: "none", resources: { requests: { cpu: more.cpu ?? "100m" } } }],
    },
  };
}

/** What a kubelet writes when a pod runs. */
export const runningStatus = {
  phase: "Running",
  conditions: [
    { type: "Initialized", status: "True" },
    { type: "Ready", status: "True" },
    { type: "ContainersReady", status: "True" },
    { type: "PodScheduled", status: "True" },
  ],
} as const;

export function budget(name: string, app: string, minAvailable: number): object {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: "default" },
    spec: { minAvailable, selector: { matchLabels: { app } } },
  };
}
