import type { ResourceList } from "#api/core-v1/meta.ts";
import type { PodSpec } from "#api/core-v1/pod.ts";
import type { Budget, ConsolidationPolicy } from "#api/karpenter-v1/nodepool.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";

/** Manifests of the whole loop: a class, a pool and a Deployment. What a test is about it says, the rest stands here. */

const byDiscovery = [{ tags: { "karpenter.sh/discovery": "demo" } }];

/** `role` is left out where the class names a profile. */
export function demoNodeClass(name = "default", spec: Readonly<Record<string, unknown>> = {}): object {
  return {
    apiVersion: "karpenter.k8s.aws/v1",
    kind: "EC2NodeClass",
    metadata: { name },
    spec: {
      ...(spec.instanceProfile === undefined ? { role: "node" } : {}),
      amiSelectorTerms: [{ alias: "al2023@v20240807" }],
      subnetSelectorTerms: byDiscovery,
      securityGroupSelectorTerms: byDiscovery,
      ...spec,
    },
  };
}

export interface DemoPool {
  /** Of the pool and of its class. */
  readonly name?: string;
  readonly weight?: number;
  readonly requirements: readonly RequirementSpec[];
  readonly expireAfter?: string;
  readonly budgets?: readonly Budget[];
  readonly consolidationPolicy?: ConsolidationPolicy;
}

/** Its empty nodes go after half a minute; full ones never, unless its policy says otherwise. */
export function demoNodePool({
  name = "default",
  weight,
  requirements,
  expireAfter,
  budgets,
  consolidationPolicy = "WhenEmpty",
}: DemoPool): object {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      ...(weight === undefined ? {} : { weight }),
      template: {
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name },
          requirements,
          ...(expireAfter === undefined ? {} : { expireAfter }),
        },
      },
      disruption: {
        consolidateAfter: "30s",
        consolidationPolicy,
        ...(budgets === undefined ? {} : { budgets }),
      },
    },
  };
}

export interface DemoDeployment {
  readonly name?: string;
  readonly namespace?: string;
  readonly replicas: number;
  /** Of each pod; default: more than half of a machine with two cores. */
  readonly requests?: ResourceList;
  readonly podSpec?: Partial<PodSpec>;
}

export function demoDeployment({
  name = "web",
  namespace = "default",
  replicas,
  requests = { cpu: "1", memory: "1Gi" },
  podSpec = {},
}: DemoDeployment): object {
  const labels = { app: name };
  const container = { name: "main", image: "nginx", resources: { requests } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name, namespace },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { ...podSpec, containers: [container] } },
    },
  };
}
