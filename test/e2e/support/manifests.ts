import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const demo = new URL("../../../cli/simulate/demo/", import.meta.url);

/** A file of the demo that newcomers run. */
export function demoFile(name: string): string {
  return fileURLToPath(new URL(name, demo));
}

export function manifestAt(name: string): object {
  return parse(readFileSync(demoFile(name), "utf8")) as object;
}

/** A pool for one scenario: its nodes take the scenario's pods only, and go when they are empty. */
export function nodePool(name: string, change: { readonly spec?: object; readonly template?: object } = {}): object {
  return {
    apiVersion: "karpenter.sh/v1",
    kind: "NodePool",
    metadata: { name },
    spec: {
      template: {
        metadata: { labels: { scenario: name } },
        spec: {
          nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
          taints: [{ key: "scenario", value: name, effect: "NoSchedule" }],
          requirements: [
            { key: "karpenter.sh/capacity-type", operator: "In", values: ["on-demand"] },
            { key: "karpenter.k8s.aws/instance-category", operator: "In", values: ["c", "m", "r"] },
            { key: "karpenter.k8s.aws/instance-cpu", operator: "Lt", values: ["9"] },
          ],
          ...change.template,
        },
      },
      disruption: { consolidationPolicy: "WhenEmpty", consolidateAfter: "0s", budgets: [{ nodes: "100%" }] },
      ...change.spec,
    },
  };
}

export function deployment(
  name: string,
  pool: string,
  replicas: number,
  spec: object = {},
  annotations: Readonly<Record<string, string>> = {},
): object {
  const labels = { app: name };
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name, namespace: "default" } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: {
          nodeSelector: { scenario: pool },
          tolerations: [{ key: "scenario", operator: "Equal", value: pool, effect: "NoSchedule" }],
          terminationGracePeriodSeconds: 5,
          containers: [{ name: "main", image: "none", resources: { requests: { cpu: "1", memory: "1Gi" } } }],
          ...spec,
        },
      },
    },
  };
}
