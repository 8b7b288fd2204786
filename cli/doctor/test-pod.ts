/** The workload that a check after an upgrade starts: one pod that only a new node of a NodePool takes. */
import type { Pod } from "#api/core-v1/pod.ts";
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { conditionOf } from "#core/condition.ts";
import { isManagedPool } from "#core/nodeclaim/managed.ts";
import { byKey, inTurn } from "#core/order.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { ec2Provider } from "#ec2/provider.ts";

export const testPodNamespace = "default";
/** It asks for nothing, runs as nobody, and needs no right of any kind. */
export const usualTestImage = "public.ecr.aws/eks-distro/kubernetes/pause:3.7";
const ordinaryPods = {
  topologyKey: "kubernetes.io/hostname",
  namespaceSelector: {},
  labelSelector: { matchExpressions: [{ key: "controller-revision-hash", operator: "DoesNotExist" }] },
};
/** Whatever becomes of the command, the kubelet ends the pod then. */
const livesSecondsMax = 3_600;

/** What became of the workload that was started. */
export type TestOutcome =
  | { readonly kind: "ran"; readonly node: string; readonly seconds: number }
  | { readonly kind: "failed"; readonly found: string };

/** The pool that is tried: Ready, and the one that provisioning would try first. */
export function testPool({ nodePools }: Pick<ClusterView, "nodePools">): NodePool | undefined {
  const order = inTurn<NodePool>(
    byKey(({ spec }) => -(spec.weight ?? 0)),
    byKey(({ metadata }) => metadata.name),
  );
  const usable = nodePools.filter(
    (pool) => isManagedPool(pool, ec2Provider.nodeClass) && conditionOf(pool, "Ready")?.status === "True",
  );
  return [...usable].sort(order)[0];
}

/**
 * As the API server takes it. It keeps away from nodes that hold pods other than daemons' (which carry the label), since
 * a node cannot be excluded by its name: Karpenter restricts that label, and so do we.
 */
export function testPod(name: string, pool: NodePool, image: string): object {
  const tolerations = (pool.spec.template.spec.taints ?? []).map(({ key, value, effect }) => ({
    ...{ key, effect },
    ...(value === undefined ? { operator: "Exists" } : { operator: "Equal", value }),
  }));
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { name, namespace: testPodNamespace, labels: { app: "outrigger-test" } },
    spec: {
      ...{ restartPolicy: "Never", terminationGracePeriodSeconds: 0, activeDeadlineSeconds: livesSecondsMax },
      ...{ automountServiceAccountToken: false, enableServiceLinks: false, tolerations },
      nodeSelector: { [nodePoolLabel]: pool.metadata.name },
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [ordinaryPods] } },
      securityContext: { runAsNonRoot: true, runAsUser: 65_535, seccompProfile: { type: "RuntimeDefault" } },
      containers: [
        {
          ...{ name: "pause", image },
          resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { memory: "64Mi" } },
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
        },
      ],
    },
  };
}

export function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;
}

/** How far the pod has come, where it does not run. */
export function stateOfTestPod({ spec, status }: Pod): string {
  const scheduled = status?.conditions?.find(({ type }) => type === "PodScheduled");
  if (spec.nodeName !== undefined) return `is bound to node ${spec.nodeName} and is ${status?.phase ?? "unknown"}`;
  const message = scheduled?.message ?? "";
  return message === "" ? "is not bound to a node" : `is not bound to a node: ${message}`;
}
