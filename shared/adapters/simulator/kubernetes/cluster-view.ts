import type { KubeObject } from "#api/core-v1/meta.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import { type ClusterView, emptyCluster, type NodeClass } from "#core/snapshot.ts";
import type { LookScope } from "#ports/cluster.ts";
import { viewKinds } from "#ports/view-kinds.ts";
import type { ApiServer } from "./api-server/api-server.ts";

type Part = (api: ApiServer) => Partial<ClusterView>;

const claims: Part = ({ store }) => ({ nodeClaims: store.list("NodeClaim") });
const nodes: Part = ({ store }) => ({ nodes: store.list("Node") });
const state: Part = ({ store }) => ({ state: store.get("ConfigMap", `${stateNamespace}/${stateName}`)?.data ?? {} });
const pools: Part = (api) => ({
  nodePools: api.store.list("NodePool"),
  nodeClasses: ofRole(api, "node-class") as readonly NodeClass[],
  unsupported: ofRole(api, "unsupported"),
});
const volumes: Part = ({ store }) => ({
  persistentVolumeClaims: store.list("PersistentVolumeClaim"),
  persistentVolumes: store.list("PersistentVolume"),
  storageClasses: store.list("StorageClass"),
  csiNodes: store.list("CSINode"),
  volumeAttachments: store.list("VolumeAttachment"),
});
const workloads: Part = ({ store }) => ({
  daemonSets: store.list("DaemonSet"),
  podDisruptionBudgets: store.list("PodDisruptionBudget"),
  namespaces: store.list("Namespace"),
});
const pods: Part = ({ store }) => ({ pods: store.list("Pod") });

/** The lists that a look reads, one after the other: nodes before pods, as the port asks. */
const partsOf = {
  everything: [state, pools, claims, nodes, volumes, workloads, pods],
  claims: [claims],
  "around-claims": [state, pools, nodes],
} as const satisfies Readonly<Record<string, readonly Part[]>>;

/** `pause` runs between two lists, so that what happens meanwhile is seen by the later one only, as in life. */
export async function viewOf(
  api: ApiServer,
  scope: LookScope,
  pause: () => Promise<void> | undefined,
): Promise<ClusterView> {
  let view = emptyCluster;
  for (const part of partsOf[scope]) {
    await pause();
    view = { ...view, ...part(api) };
  }
  return view;
}

/** Kinds whose changes a tick wants to know of. Events and Leases are read by nobody, workloads by their controllers. */
export function kindsRead(api: ApiServer): ReadonlySet<string> {
  const byRole = api.kinds().flatMap(({ kind, role }) => (role === undefined ? [] : [kind]));
  return new Set([...Object.values(viewKinds), ...byRole]);
}

function ofRole(api: ApiServer, role: "node-class" | "unsupported"): readonly KubeObject[] {
  return api
    .kinds()
    .filter((kind) => kind.role === role)
    .flatMap(({ kind }) => api.store.list(kind));
}
