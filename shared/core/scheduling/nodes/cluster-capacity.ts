/**
 * What the cluster's nodes, and claims that are to become nodes, offer to pods. Karpenter counterpart:
 * pkg/controllers/state/statenode.go (Available, Taints) and
 * pkg/controllers/provisioning/scheduling/existingnode.go. It differs: daemons' host ports count before the daemons run.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { initializedLabel, registeredLabel } from "#api/karpenter-v1/labels.ts";
import type { Resources } from "../../instance-type.ts";
import { allocatableOf, countingTaints, isRegistered, type StateNode } from "../../state/state-node.ts";
import { expectedPods } from "../pods/expected-pods.ts";
import { hostPortsOf } from "../pods/host-ports.ts";
import { type Daemon, keyOfDaemon, ownerOfDaemonPod, runsOn } from "../resources/daemon-overhead.ts";
import { excess, noResources, podRequests, sum } from "../resources/resources.ts";
import type { ExistingNode } from "./existing-node.ts";

/** What the node offers to pods. Undefined for a claim whose instance is not known yet (see claims/open-claim.ts). */
export function existingNode(state: StateNode, daemons: readonly Daemon[]): ExistingNode | undefined {
  const { node, claim, pods, name } = state;
  if (node === undefined && claim?.status?.providerID === undefined) return undefined;
  const taints = countingTaints(state);
  const labels = labelsOf(state);
  const { here, coming } = daemonsOn(state, daemons);
  const expected = here.map(({ requests }) => requests).reduce(sum, noResources);
  const started = pods
    .filter((pod) => ownerOfDaemonPod(pod) !== undefined)
    .map(requestsOf)
    .reduce(sum, noResources);
  const used = sum(pods.map(requestsOf).reduce(sum, noResources), excess(expected, started));
  return {
    kind: node === undefined ? "claim" : "node",
    name,
    is: { labels },
    taints,
    free: difference(allocatableOf(state), used),
    hostPorts: [...pods.flatMap(({ spec }) => hostPortsOf(spec)), ...coming.flatMap(({ hostPorts }) => hostPorts)],
    expects: expectedPods(claim),
  };
}

/** `here`: that run there or will; of them, `coming`: that do not yet. */
export function daemonsOn(
  state: StateNode,
  daemons: readonly Daemon[],
): { readonly here: readonly Daemon[]; readonly coming: readonly Daemon[] } {
  const taints = countingTaints(state);
  const labels = labelsOf(state);
  const isOurs = state.claim !== undefined;
  const soon = isOurs ? { ...labels, [registeredLabel]: "true", [initializedLabel]: "true" } : labels;
  const here = daemons.filter((daemon) => runsOn(daemon, soon, taints));
  const running = new Set(state.pods.map(ownerOfDaemonPod));
  return { here, coming: here.filter((daemon) => !running.has(keyOfDaemon(daemon))) };
}

/** A node that is not registered gets its claim's labels yet. */
export function labelsOf(state: StateNode): Readonly<Record<string, string>> {
  const { node, claim } = state;
  return node === undefined || !isRegistered(state)
    ? { ...claim?.metadata.labels, ...node?.metadata.labels }
    : (node.metadata.labels ?? {});
}

function difference(a: Resources, b: Resources): Resources {
  return Object.fromEntries(Object.entries(a).map(([name, amount]) => [name, amount - (b[name] ?? 0)]));
}

function requestsOf(pod: Pod): Resources {
  return podRequests(pod.spec, pod.status);
}
