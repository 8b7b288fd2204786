/** Short ways to write the objects behind a pod's volumes. */
import type { CSINode, PersistentVolume, PersistentVolumeClaim, StorageClass } from "#api/core-v1/cluster-objects.ts";
import type { NodeSelectorTerm, PodSpec } from "#api/core-v1/pod.ts";

export const driver = "disk.csi.example";

export function storageClass(name: string, more: Partial<StorageClass> = {}): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: driver,
    volumeBindingMode: "WaitForFirstConsumer",
    ...more,
  };
}

/** OR-ed lists of zones. */
export function allowedZones(...lists: readonly (readonly string[])[]): Pick<StorageClass, "allowedTopologies"> {
  const key = "topology.kubernetes.io/zone";
  return { allowedTopologies: lists.map((values) => ({ matchLabelExpressions: [{ key, values }] })) };
}

/** Waits for a volume of that class. */
export function openClaim(
  name: string,
  storageClassName: string | undefined,
  more: Partial<PersistentVolumeClaim> = {},
): PersistentVolumeClaim {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace: "default" },
    spec: storageClassName === undefined ? {} : { storageClassName },
    status: { phase: "Pending" },
    ...more,
  };
}

export function boundClaim(name: string, volumeName: string): PersistentVolumeClaim {
  const annotations = { "pv.kubernetes.io/bind-completed": "yes" };
  return {
    ...openClaim(name, "waiting"),
    metadata: { name, namespace: "default", annotations },
    spec: { storageClassName: "waiting", volumeName },
    status: { phase: "Bound" },
  };
}

export function volume(name: string, spec: Partial<PersistentVolume["spec"]> = {}): PersistentVolume {
  return { apiVersion: "v1", kind: "PersistentVolume", metadata: { name }, spec: { csi: { driver }, ...spec } };
}

/** Node affinity of a volume: each argument is one of OR-ed terms, with the values of one label. */
export function onlyIn(
  key: string,
  ...lists: readonly (readonly string[])[]
): Required<Pick<PersistentVolume["spec"], "nodeAffinity">> {
  const terms = lists.map((values): NodeSelectorTerm => ({ matchExpressions: [{ key, operator: "In", values }] }));
  return { nodeAffinity: { required: { nodeSelectorTerms: terms } } };
}

export function using(...claims: readonly string[]): Pick<PodSpec, "volumes"> {
  return { volumes: claims.map((claimName, i) => ({ name: `v${i}`, persistentVolumeClaim: { claimName } })) };
}

/** `count` undefined: the driver registered without a limit. */
export function csiNode(name: string, count: number | undefined, driverName = driver): CSINode {
  const allocatable = count === undefined ? {} : { allocatable: { count } };
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name },
    spec: { drivers: [{ name: driverName, ...allocatable }] },
  };
}
