import type { PodSpec } from "#api/core-v1/pod.ts";
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { demoDeployment, demoNodeClass } from "../demo-manifests.ts";

/** Manifests for the whole loop against the stand-in: one class, one pool of machines with two cores, one Deployment. */

export function nodeClassWith(spec: Partial<EC2NodeClassSpec> = {}): object {
  return demoNodeClass("default", { amiSelectorTerms: [{ alias: "al2023@latest" }], ...spec });
}

export function poolOf(...requirements: readonly RequirementSpec[]): object {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name: "default" },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
          requirements: [
            { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"] },
            { key: "karpenter.k8s.aws/instance-cpu", operator: "In", values: ["2"] },
            ...requirements,
          ],
        },
      },
    },
  };
}

/** Pods of which each takes more than half of a machine. */
export function deploymentOf(replicas: number, podSpec: Partial<PodSpec> = {}): object {
  return demoDeployment({ replicas, podSpec });
}
