import type { PersistentVolumeClaim } from "#api/core-v1/cluster-objects.ts";
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod, Taint, Toleration } from "#api/core-v1/pod.ts";
import { forbidden, type Refusal } from "./answer.ts";
import type { Store } from "./store.ts";

export const notReadyTaintKey = "node.kubernetes.io/not-ready";
export const unreachableTaintKey = "node.kubernetes.io/unreachable";
/** Kubernetes: --default-not-ready-toleration-seconds, --default-unreachable-toleration-seconds. */
const defaultTolerationSeconds = 300;
const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

/** The admission plug-ins of a Kubernetes API server that scheduling depends on, applied to a new object. */
export function admit(object: KubeObject, store: Store): KubeObject | Refusal {
  switch (object.kind) {
    case "Pod": {
      const pod = withPriority(object as Pod, store);
      return "spec" in pod ? withDefaultTolerations(pod) : pod;
    }
    case "Node":
      return withNotReadyTaint(object as Node);
    case "PersistentVolumeClaim":
      return withDefaultClass(object as PersistentVolumeClaim, store);
    case "Namespace":
      return withNameLabel(object);
    default:
      return object;
  }
}

/** Priority: the class's value, or the global default's, or 0. */
function withPriority(pod: Pod, store: Store): Pod | Refusal {
  if (pod.spec.priority !== undefined) return pod;
  const { priorityClassName } = pod.spec;
  const found =
    priorityClassName === undefined || priorityClassName === ""
      ? store.list("PriorityClass").find((candidate) => candidate.globalDefault === true)
      : store.get("PriorityClass", priorityClassName);
  if (found === undefined && priorityClassName !== undefined && priorityClassName !== "") {
    return forbidden("pods", pod.metadata.name, `no PriorityClass with name ${priorityClassName} was found`);
  }
  return {
    ...pod,
    spec: {
      ...pod.spec,
      ...(found === undefined ? {} : { priorityClassName: found.metadata.name }),
      priority: found?.value ?? 0,
      preemptionPolicy: pod.spec.preemptionPolicy ?? found?.preemptionPolicy ?? "PreemptLowerPriority",
    },
  };
}

/** DefaultTolerationSeconds: five minutes on a node that is not ready or not reachable, unless the pod says otherwise. */
function withDefaultTolerations(pod: Pod): Pod {
  const tolerations = pod.spec.tolerations ?? [];
  const missing = [notReadyTaintKey, unreachableTaintKey].filter((key) => !tolerations.some((t) => covers(t, key)));
  if (missing.length === 0) return pod;
  const added = missing.map(
    (key): Toleration => ({
      key,
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: defaultTolerationSeconds,
    }),
  );
  return { ...pod, spec: { ...pod.spec, tolerations: [...tolerations, ...added] } };
}

function covers(toleration: Toleration, key: string): boolean {
  const keyFits = toleration.key === key || toleration.key === undefined || toleration.key === "";
  return keyFits && (toleration.effect === undefined || toleration.effect === "NoExecute");
}

/** TaintNodesByCondition: a new node is not ready until its kubelet says so. */
function withNotReadyTaint(node: Node): Node {
  const taints = node.spec?.taints ?? [];
  if (taints.some((taint) => taint.key === notReadyTaintKey && taint.effect === "NoSchedule")) return node;
  const notReady: Taint = { key: notReadyTaintKey, effect: "NoSchedule" };
  return { ...node, spec: { ...node.spec, taints: [...taints, notReady] } };
}

/** DefaultStorageClass. An explicit empty class name asks for no class. */
function withDefaultClass(claim: PersistentVolumeClaim, store: Store): PersistentVolumeClaim {
  if (claim.spec.storageClassName !== undefined || claim.spec.volumeName !== undefined) return claim;
  const byDefault = store
    .list("StorageClass")
    .find((candidate) => candidate.metadata.annotations?.[defaultClassAnnotation] === "true");
  if (byDefault === undefined) return claim;
  return { ...claim, spec: { ...claim.spec, storageClassName: byDefault.metadata.name } };
}

/** NamespaceDefaultLabelName: selectors over namespaces can name one. */
function withNameLabel(namespace: KubeObject): KubeObject {
  const labels = { ...namespace.metadata.labels, "kubernetes.io/metadata.name": namespace.metadata.name };
  return { ...namespace, metadata: { ...namespace.metadata, labels } };
}
