/**
 * The snapshot as a scheduling problem. Karpenter counterpart: pkg/controllers/provisioning/provisioner.go, NewScheduler.
 * It differs: nothing is read, all of it is in the snapshot; instance types are asked for only when pods wait.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { coreWellKnownLabels, hostnameLabel, instanceTypeLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { LabelRules } from "#api/karpenter-v1/runtime-validation.ts";
import { parseTime } from "#api/time.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import { conditionOf } from "../condition.ts";
import type { InstanceType } from "../instance-type.ts";
import * as conditions from "../nodeclaim/conditions.ts";
import { isManagedClaim } from "../nodeclaim/managed.ts";
import type { Reason } from "../reason.ts";
import type { OpenClaim } from "../scheduling/claims/open-claim.ts";
import type { ReservedMode } from "../scheduling/instance-types/reservations.ts";
import { existingNode } from "../scheduling/nodes/cluster-capacity.ts";
import type { ExistingNode } from "../scheduling/nodes/existing-node.ts";
import { expectedPods } from "../scheduling/pods/expected-pods.ts";
import type { SchedulingProblem } from "../scheduling/problem.ts";
import { type Daemon, daemonsOf } from "../scheduling/resources/daemon-overhead.ts";
import { VolumeIndex } from "../scheduling/volumes/pod-volumes.ts";
import { volumeNeedsOf } from "../scheduling/volumes/volume-needs.ts";
import { type VolumeRoom, volumeRoom } from "../scheduling/volumes/volume-room.ts";
import type { ClusterView, Snapshot } from "../snapshot.ts";
import { type StateNode, stateNodes } from "../state/state-node.ts";
import { type Demand, demandOf } from "./demand.ts";
import { neighboursOf } from "./neighbours.ts";
import { nodePoolUsage } from "./node-pool-usage.ts";
import { consideredPools, unsupportedPools } from "./node-pools.ts";

/** The part of a provider that provisioning asks. */
export type SchedulingProvider<View> = Pick<
  CloudProvider<unknown, View>,
  "nodeClass" | "wellKnownLabels" | "reservationIdLabel" | "instanceTypes" | "instanceTypesOfClaim"
>;

/** Karpenter: a node is nominated for twice the longest batch. */
const nominationMs = 20_000;

type InstanceTypesOf = (claim: NodeClaim) => readonly InstanceType[];

export interface ProvisioningProblem {
  readonly problem: SchedulingProblem;
  readonly demand: Demand;
  readonly states: readonly StateNode[];
  /** About NodePools that are not considered. */
  readonly reasons: readonly Reason[];
}

/** `moving`: running pods that look for another place too; as neighbours they count where they are. */
export function provisioningProblem<View>(
  snapshot: Snapshot<View>,
  provider: SchedulingProvider<View>,
  reservedMode: ReservedMode = "strict",
  moving: readonly Pod[] = [],
): ProvisioningProblem {
  const { cluster, settings, nowMs } = snapshot;
  const states = stateNodes(cluster);
  const rules: LabelRules = {
    wellKnownLabels: provider.wellKnownLabels,
    restrictedDomains: [provider.nodeClass.group],
  };
  const volumeIndex = new VolumeIndex(cluster, isStayingIn(states, moving));
  const demand = demandOf(cluster, states, rules, volumeIndex, nowMs, moving);
  const instanceTypesOf = instanceTypesByClaim(snapshot, provider);
  // Without demand nobody asks for instance types: a quiet tick costs little.
  const { pools, reasons } =
    demand.pods.length === 0
      ? { pools: [], reasons: unsupportedPools(cluster.nodePools, provider.nodeClass) }
      : consideredPools(snapshot, provider, nodePoolUsage(states, instanceTypesOf));
  const daemons = daemonsOf(cluster.daemonSets, cluster.pods);
  const volumes = volumeNeedsOf(demand.volumes, cluster.pods, volumeIndex);
  const roomFor = volumes.size === 0 ? undefined : volumeRooms(cluster, volumeIndex, instanceTypesOf);
  const capacity = states.flatMap((state) => capacityItem(state, daemons, instanceTypesOf, roomFor, nowMs));
  const problem: SchedulingProblem = {
    pods: demand.pods,
    capacity,
    pools,
    daemons,
    wellKnownLabels: [...coreWellKnownLabels, ...provider.wellKnownLabels],
    preferencePolicy: settings.preferencePolicy,
    minValuesPolicy: settings.minValuesPolicy,
    volumes,
    neighbours: neighboursOf(states, withoutThose(demand.pods, moving), daemons),
    namespaces: cluster.namespaces,
    reservedMode: settings.featureGates.reservedCapacity ? reservedMode : "off",
    ...(provider.reservationIdLabel === undefined ? {} : { reservationIdLabel: provider.reservationIdLabel }),
  };
  return { problem, demand, states, reasons };
}

function capacityItem(
  state: StateNode,
  daemons: readonly Daemon[],
  instanceTypesOf: InstanceTypesOf,
  roomFor: ((state: StateNode) => VolumeRoom) | undefined,
  nowMs: number,
): readonly (ExistingNode | OpenClaim)[] {
  if (state.deleting || state.opaque) return [];
  const offered = existingNode(state, daemons);
  const node = offered !== undefined && isOpenToAll(state, nowMs) ? { ...offered, expects: [] } : offered;
  if (node !== undefined) return [roomFor === undefined ? node : withVolumes(node, roomFor(state))];
  const { claim, name } = state;
  const instanceTypes = claim === undefined ? [] : instanceTypesOf(claim);
  if (claim === undefined || instanceTypes.length === 0) return [];
  const { requirements, taints = [] } = claim.spec;
  const labels = claim.metadata.labels ?? {};
  return [{ kind: "open-claim", name, labels, requirements, taints, instanceTypes, expects: expectedPods(claim) }];
}

/** The node has been ready for a while: pods that did not come until now are kept away by a rule and need a new place. */
function isOpenToAll({ claim }: StateNode, nowMs: number): boolean {
  const condition = claim === undefined ? undefined : conditionOf(claim, conditions.initialized);
  const sinceMs = condition?.status === "True" ? parseTime(condition.lastTransitionTime) : undefined;
  return sinceMs !== undefined && nowMs - sinceMs > nominationMs;
}

function withVolumes(node: ExistingNode, { free, attached }: VolumeRoom): ExistingNode {
  return { ...node, free: { ...node.free, ...free }, attached };
}

function volumeRooms(
  cluster: ClusterView,
  volumeIndex: VolumeIndex,
  instanceTypesOf: InstanceTypesOf,
): (state: StateNode) => VolumeRoom {
  const csiNodes = new Map(cluster.csiNodes.map((one) => [one.metadata.name, one]));
  return (state) => volumeRoom(state, volumeIndex, csiNodes.get(state.name), volumeLimitsOf(state, instanceTypesOf));
}

/** What the provider says of the type of a node that is ours. */
function volumeLimitsOf({ claim }: StateNode, instanceTypesOf: InstanceTypesOf): InstanceType["volumeLimits"] {
  const name = claim?.metadata.labels?.[instanceTypeLabel];
  if (claim === undefined || name === undefined) return undefined;
  return instanceTypesOf(claim).find((type) => type.name === name)?.volumeLimits;
}

function withoutThose(pods: readonly Pod[], others: readonly Pod[]): readonly Pod[] {
  if (others.length === 0) return pods;
  const left = new Set(others);
  return pods.filter((pod) => !left.has(pod));
}

/** Volumes on the disk of such a node are still within reach. */
function isStayingIn(states: readonly StateNode[], moving: readonly Pod[]): (hostname: string) => boolean {
  const left = new Set(moving.map(({ spec }) => spec.nodeName));
  const staying = states.flatMap(({ name, node, deleting }) =>
    node === undefined || deleting || left.has(name)
      ? []
      : [node.metadata.labels?.[hostnameLabel] ?? node.metadata.name],
  );
  const names = new Set(staying);
  return (hostname) => names.has(hostname);
}

/** Asks the provider once a node class; none for claims of another provider. */
function instanceTypesByClaim<View>(snapshot: Snapshot<View>, provider: SchedulingProvider<View>): InstanceTypesOf {
  const byClass = new Map<string, readonly InstanceType[]>();
  return (claim) => {
    if (!isManagedClaim(claim, provider.nodeClass)) return [];
    const { name } = claim.spec.nodeClassRef;
    const known = byClass.get(name);
    if (known !== undefined) return known;
    const answer = provider.instanceTypesOfClaim(snapshot, claim);
    const types = answer.kind === "known" ? answer.instanceTypes : [];
    byClass.set(name, types);
    return types;
  };
}
