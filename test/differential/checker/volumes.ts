/** What a pod's volumes ask of its node. */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "#api/core-v1/cluster-objects.ts";
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { NodeSelectorTerm, Pod } from "#api/core-v1/pod.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import { type Labels, termMatches } from "./matching.ts";
import { standingNodes } from "./standing-nodes.ts";

interface MountedVolume {
  /** Distinct volumes count once on a node. */
  readonly id: string;
  readonly driver: string;
  /** One of them must match; empty: any node. */
  readonly terms: readonly NodeSelectorTerm[];
}

/** The pod's volumes, or why it cannot start anywhere. */
export type Mounts =
  | { readonly kind: "mounts"; readonly volumes: readonly MountedVolume[] }
  | { readonly kind: "impossible"; readonly why: string };

export function mountsOf(problem: Problem, pod: Pod): Mounts {
  const volumes: MountedVolume[] = [];
  const namespace = pod.metadata.namespace ?? "default";
  for (const { name, persistentVolumeClaim, ephemeral } of pod.spec.volumes ?? []) {
    const claimName =
      persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${pod.metadata.name}-${name}`);
    if (claimName === undefined) continue;
    const claim = find<PersistentVolumeClaim>(problem, "PersistentVolumeClaim", claimName, namespace);
    if (claim === undefined) return impossible(`PersistentVolumeClaim ${claimName} does not exist`);
    const volume = mount(problem, claim, `${namespace}/${claimName}`);
    if (typeof volume === "string") return impossible(volume);
    volumes.push(volume);
  }
  return { kind: "mounts", volumes };
}

function mount(problem: Problem, claim: PersistentVolumeClaim, id: string): MountedVolume | string {
  const { volumeName = "" } = claim.spec;
  if (claim.metadata.deletionTimestamp !== undefined) return `${id} is being deleted`;
  if (claim.status?.phase === "Lost") return `${id} lost its volume`;
  return volumeName === "" ? unboundMount(problem, claim, id) : boundMount(problem, claim, volumeName, id);
}

function boundMount(
  problem: Problem,
  { metadata }: PersistentVolumeClaim,
  volumeName: string,
  id: string,
): MountedVolume | string {
  const volume = find<PersistentVolume>(problem, "PersistentVolume", volumeName, undefined);
  if (volume === undefined) return `PersistentVolume ${volumeName} does not exist`;
  if (metadata.annotations?.["pv.kubernetes.io/bind-completed"] === undefined) return `${id} is not bound yet`;
  const tied = volume.spec.local !== undefined || volume.spec.hostPath !== undefined;
  const given = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const hosts = tied ? stayingHosts(problem) : new Set<string>();
  const terms = tied ? given.map((term) => withoutGoneHosts(term, hosts)) : given;
  return { id, driver: volume.spec.csi?.driver ?? "", terms: terms.some(isEmpty) ? [] : terms };
}

function unboundMount(problem: Problem, { spec }: PersistentVolumeClaim, id: string): MountedVolume | string {
  const storageClass = find<StorageClass>(problem, "StorageClass", spec.storageClassName ?? "", undefined);
  if (storageClass === undefined) return `${id} names no StorageClass that exists`;
  if (storageClass.volumeBindingMode !== "WaitForFirstConsumer") return `${id} binds at once and is not bound yet`;
  const terms = (storageClass.allowedTopologies ?? []).map(({ matchLabelExpressions = [] }) => ({
    matchExpressions: matchLabelExpressions.map(({ key, values }) => ({ key, operator: "In" as const, values })),
  }));
  return { id, driver: storageClass.provisioner, terms };
}

export function reachable(volumes: readonly MountedVolume[], labels: Labels): boolean {
  return volumes.every(({ terms }) => terms.length === 0 || terms.some((term) => termMatches(term, labels)));
}

/** Keys of labels that the volumes' places speak of. */
export function volumeKeys(volumes: readonly MountedVolume[]): readonly string[] {
  return volumes.flatMap(({ terms }) =>
    terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key)),
  );
}

/** A local volume ties its pod to its node. Where that one is gone or goes, whoever keeps the volume makes it anew elsewhere. */
function withoutGoneHosts({ matchExpressions = [] }: NodeSelectorTerm, hosts: ReadonlySet<string>): NodeSelectorTerm {
  const isGone = ({ key, values = [] }: { readonly key: string; readonly values?: readonly string[] }): boolean =>
    key === "kubernetes.io/hostname" && !values.some((name) => hosts.has(name));
  return { matchExpressions: matchExpressions.filter((expression) => !isGone(expression)) };
}

const known = new WeakMap<Problem, ReadonlySet<string>>();

function stayingHosts(problem: Problem): ReadonlySet<string> {
  const before = known.get(problem);
  if (before !== undefined) return before;
  const staying = standingNodes(problem).filter(({ leaving }) => !leaving);
  const hosts = new Set(staying.map(({ labels }) => labels["kubernetes.io/hostname"] ?? ""));
  known.set(problem, hosts);
  return hosts;
}

function isEmpty({ matchExpressions = [] }: NodeSelectorTerm): boolean {
  return matchExpressions.length === 0;
}

function impossible(why: string): Mounts {
  return { kind: "impossible", why };
}

function find<T extends KubeObject>(
  problem: Problem,
  kind: string,
  name: string,
  namespace: string | undefined,
): T | undefined {
  // The door of api has read each object by its kind.
  return problem.objects.find(
    (object) =>
      object.kind === kind &&
      object.metadata.name === name &&
      (namespace === undefined || (object.metadata.namespace ?? "default") === namespace),
  ) as T | undefined;
}
