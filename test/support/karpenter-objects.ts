/** What a running Karpenter leaves in a cluster, in v1: pools, classes and claims with its own hashes. */
import { parseObject } from "#api/parse.ts";
import { nodePoolHash } from "#core/nodepool/hash.ts";

export interface KarpenterLeaves {
  /** Of its release: which version of the class's hash it writes. */
  readonly classHashVersion: "v3" | "v5";
}

const classHash = "12345678901234567890";
const created = "2025-12-01T00:00:00Z";
export const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };

const poolSpec = {
  template: {
    spec: {
      nodeClassRef,
      requirements: [{ key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] }],
      expireAfter: "720h",
    },
  },
  disruption: { consolidationPolicy: "WhenEmptyOrUnderutilized", consolidateAfter: "0s", budgets: [{ nodes: "10%" }] },
};

function hashOfPool(): string {
  const pool = { apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "default" }, spec: poolSpec };
  const parsed = parseObject(pool);
  if (parsed.kind !== "object" || parsed.objectKind !== "NodePool") throw new Error("the pool is one");
  return nodePoolHash(parsed.object);
}

const poolHash = { "karpenter.sh/nodepool-hash": hashOfPool(), "karpenter.sh/nodepool-hash-version": "v3" };

function hashesOfClass({ classHashVersion }: KarpenterLeaves): Readonly<Record<string, string>> {
  return {
    "karpenter.k8s.aws/ec2nodeclass-hash": classHash,
    "karpenter.k8s.aws/ec2nodeclass-hash-version": classHashVersion,
  };
}

export function leftNodePool(spec: object = {}, annotations: Readonly<Record<string, string>> = {}): object {
  return {
    ...{ apiVersion: "karpenter.sh/v1", kind: "NodePool" },
    metadata: { name: "default", annotations: { ...poolHash, ...annotations } },
    spec: { ...poolSpec, ...spec },
  };
}

export function leftNodeClass(leaves: KarpenterLeaves, spec: object = {}): object {
  return {
    ...{ apiVersion: "karpenter.k8s.aws/v1", kind: "EC2NodeClass" },
    metadata: {
      name: "default",
      annotations: hashesOfClass(leaves),
      finalizers: ["karpenter.k8s.aws/termination"],
    },
    spec: {
      role: "nodes",
      amiSelectorTerms: [{ alias: "al2023@v20240807" }],
      subnetSelectorTerms: [{ tags: { "karpenter.sh/discovery": "e2e" } }],
      securityGroupSelectorTerms: [{ tags: { "karpenter.sh/discovery": "e2e" } }],
      ...spec,
    },
  };
}

/** An initialized claim. `more` changes its metadata. */
export function leftNodeClaim(name: string, leaves: KarpenterLeaves, more: object = {}): object {
  return {
    ...{ apiVersion: "karpenter.sh/v1", kind: "NodeClaim" },
    metadata: {
      name,
      labels: { "karpenter.sh/nodepool": "default", "karpenter.k8s.aws/ec2nodeclass": "default" },
      annotations: { ...poolHash, ...hashesOfClass(leaves) },
      finalizers: ["karpenter.sh/termination"],
      ...more,
    },
    spec: { nodeClassRef, requirements: poolSpec.template.spec.requirements, expireAfter: "720h" },
    status: {
      nodeName: `${name}.ec2.internal`,
      providerID: `aws:///us-east-1a/i-${name}`,
      imageID: "ami-1",
      conditions: ["Launched", "Registered", "Initialized", "Ready"].map((type) => conditionOf(type)),
    },
  };
}

export function conditionOf(type: string, status = "True"): object {
  return { type, status, reason: type, message: "", lastTransitionTime: created };
}

/** Karpenter's Deployment as its chart makes it. */
export function karpenterDeployment(version: string, env: Readonly<Record<string, string>> = {}, replicas = 2): object {
  const labels = { "app.kubernetes.io/name": "karpenter", "app.kubernetes.io/instance": "karpenter" };
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment" },
    metadata: {
      name: "karpenter",
      namespace: "kube-system",
      labels: { ...labels, "app.kubernetes.io/version": version },
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "controller",
              image: `public.ecr.aws/karpenter/controller:${version}@sha256:0`,
              env: [{ name: "CLUSTER_NAME", value: "e2e" }, ...variables],
            },
          ],
        },
      },
    },
  };
}

/** Karpenter's lease, held from `renewTime` on for 15 s. */
export function karpenterLease(holder: string, renewTime: string): object {
  return {
    ...{ apiVersion: "coordination.k8s.io/v1", kind: "Lease" },
    metadata: { name: "karpenter-leader-election", namespace: "kube-system" },
    spec: { holderIdentity: holder, leaseDurationSeconds: 15, renewTime },
  };
}
