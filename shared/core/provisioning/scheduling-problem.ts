/** The snapshot as a scheduling problem. Karpenter counterpart: pkg/controllers/provisioning/provisioner.go, NewScheduler. */
import { coreWellKnownLabels } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { LabelRules } from "#api/karpenter-v1/runtime-validation.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { InstanceType } from "../instance-type.ts";
import { isManagedClaim } from "../nodeclaim/managed.ts";
import type { Reason } from "../reason.ts";
import { existingNode, type StateNode, stateNodes } from "../scheduling/cluster-capacity.ts";
import { type Daemon, daemonsOf } from "../scheduling/daemon-overhead.ts";
import type { ExistingNode } from "../scheduling/existing-node.ts";
import { expectedPods } from "../scheduling/expected-pods.ts";
import type { OpenClaim } from "../scheduling/open-claim.ts";
import type { SchedulingProblem } from "../scheduling/solve.ts";
import type { Snapshot } from "../snapshot.ts";
import { type Demand, demandOf } from "./demand.ts";
import { nodePoolUsage } from "./node-pool-usage.ts";
import { consideredPools, unsupportedPools } from "./node-pools.ts";

/** The part of a provider that provisioning asks. */
export type SchedulingProvider<View> = Pick<
  CloudProvider<unknown, View>,
  "nodeClass" | "wellKnownLabels" | "instanceTypes" | "instanceTypesOfClaim"
>;

export interface ProvisioningProblem {
  readonly problem: SchedulingProblem;
  readonly demand: Demand;
  readonly states: readonly StateNode[];
  /** About NodePools that are not considered. */
  readonly reasons: readonly Reason[];
}

export function provisioningProblem<View>(
  snapshot: Snapshot<View>,
  provider: SchedulingProvider<View>,
): ProvisioningProblem {
  const { cluster, settings, nowMs } = snapshot;
  const states = stateNodes(cluster);
  const rules: LabelRules = {
    wellKnownLabels: provider.wellKnownLabels,
    restrictedDomains: [provider.nodeClass.group],
  };
  const demand = demandOf(cluster, states, rules, nowMs);
  const instanceTypesOf = instanceTypesByClaim(snapshot, provider);
  // Without demand nobody asks for instance types: a quiet tick costs little.
  const { pools, reasons } =
    demand.pods.length === 0
      ? { pools: [], reasons: unsupportedPools(cluster.nodePools, provider.nodeClass) }
      : consideredPools(snapshot, provider, nodePoolUsage(states, instanceTypesOf));
  const daemons = daemonsOf(cluster.daemonSets, cluster.pods);
  const capacity = states.flatMap((state) => capacityItem(state, daemons, instanceTypesOf));
  const problem: SchedulingProblem = {
    pods: demand.pods,
    capacity,
    pools,
    daemons,
    wellKnownLabels: [...coreWellKnownLabels, ...provider.wellKnownLabels],
    preferencePolicy: settings.preferencePolicy,
    minValuesPolicy: settings.minValuesPolicy,
  };
  return { problem, demand, states, reasons };
}

function capacityItem(
  state: StateNode,
  daemons: readonly Daemon[],
  instanceTypesOf: (claim: NodeClaim) => readonly InstanceType[],
): readonly (ExistingNode | OpenClaim)[] {
  if (state.deleting) return [];
  const node = existingNode(state, daemons);
  if (node !== undefined) return [node];
  const { claim, name } = state;
  const instanceTypes = claim === undefined ? [] : instanceTypesOf(claim);
  if (claim === undefined || instanceTypes.length === 0) return [];
  const { requirements, taints = [] } = claim.spec;
  const labels = claim.metadata.labels ?? {};
  return [{ kind: "open-claim", name, labels, requirements, taints, instanceTypes, expects: expectedPods(claim) }];
}

/** Asks the provider once a node class; none for claims of another provider. */
function instanceTypesByClaim<View>(
  snapshot: Snapshot<View>,
  provider: SchedulingProvider<View>,
): (claim: NodeClaim) => readonly InstanceType[] {
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
