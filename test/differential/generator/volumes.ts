import type { KubeObject } from "#api/core-v1/meta.ts";
import type { PodSpec } from "#api/core-v1/pod.ts";
import type { Random } from "./random.ts";
import type { RawPod } from "./raw-problem.ts";

type RawObject = KubeObject & { readonly [field: string]: unknown };

export const driver = "disk.csi.example";

/** One class that waits for its pod, one that also names zones, one that binds at once. */
export function storageClasses(zones: readonly string[], random: Random): readonly RawObject[] {
  const classOf = (name: string, more: object): RawObject => ({
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name },
    provisioner: driver,
    volumeBindingMode: "WaitForFirstConsumer",
    ...more,
  });
  const named = random.some(zones, random.between(1, 2));
  const topology = [{ matchLabelExpressions: [{ key: "topology.kubernetes.io/zone", values: named }] }];
  return [
    classOf("waiting", {}),
    classOf("zonal", { allowedTopologies: topology }),
    classOf("immediate", { volumeBindingMode: "Immediate" }),
  ];
}

const kinds = [
  "waiting",
  "waiting",
  "zonal",
  "zonal",
  "bound",
  "bound",
  "shared",
  "ephemeral",
  "missing",
  "immediate",
] as const;

/** The pod with a volume, and the objects that the volume consists of. */
export function withVolume(
  pod: RawPod,
  zones: readonly string[],
  random: Random,
): { readonly pod: RawPod; readonly objects: readonly RawObject[] } {
  const { name, namespace = "default" } = pod.metadata;
  const kind = random.pick(kinds);
  const claimName = kind === "shared" ? "shared-data" : kind === "ephemeral" ? `${name}-scratch` : `data-${name}`;
  const volume: NonNullable<PodSpec["volumes"]>[number] =
    kind === "ephemeral"
      ? { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: { storageClassName: "waiting" } } } }
      : { name: "data", persistentVolumeClaim: { claimName } };
  const mounted: RawPod = { ...pod, spec: { ...pod.spec, volumes: [volume] } };
  if (kind === "missing") return { pod: mounted, objects: [] };
  if (kind === "bound" || kind === "shared") {
    const volumeName = kind === "shared" ? `pv-${namespace}-shared` : `pv-${namespace}-${name}`;
    const zone = kind === "shared" ? (zones[0] ?? "") : random.pick(zones);
    return { pod: mounted, objects: boundClaim(claimName, namespace, volumeName, zone) };
  }
  const storageClassName = kind === "ephemeral" ? "waiting" : kind;
  return { pod: mounted, objects: [claim(claimName, namespace, { storageClassName }, {})] };
}

export function boundClaim(name: string, namespace: string, volumeName: string, zone: string): readonly RawObject[] {
  const terms = [{ matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: [zone] }] }];
  return [
    claim(name, namespace, { storageClassName: "waiting", volumeName }, { "pv.kubernetes.io/bind-completed": "yes" }),
    {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: volumeName },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        csi: { driver, volumeHandle: volumeName },
        storageClassName: "waiting",
        nodeAffinity: { required: { nodeSelectorTerms: terms } },
      },
    },
  ];
}

function claim(
  name: string,
  namespace: string,
  spec: object,
  annotations: Readonly<Record<string, string>>,
): RawObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace, annotations },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec },
    status: { phase: "volumeName" in spec ? "Bound" : "Pending" },
  };
}

/** How many volumes a node can attach. */
export function csiNode(nodeName: string, count: number): RawObject {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSINode",
    metadata: { name: nodeName },
    spec: { drivers: [{ name: driver, nodeID: nodeName, topologyKeys: [], allocatable: { count } }] },
  };
}
