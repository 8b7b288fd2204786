/** Domains that NodePools could still bring: values of a label on machines that a pod could get. */
import type { PodSpec } from "#api/core-v1/pod.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import type { PossibleDomains } from "./binding-state.ts";
import { labelings, type Machine, poolMachines } from "./machines.ts";
import { type Labels, repellingTaint, selectedKeys, selectsNode, termMatches } from "./matching.ts";

/**
 * Only machines that the pod tolerates and selects: Kubernetes counts nodes, and a node that nothing makes for this pod
 * is none. A domain needs an offering. Of OR-ed terms only those count that the pod's own place meets, since a scheduler
 * that settles on one of them makes no nodes for the others.
 */
export function possibleDomains(problem: Problem): PossibleDomains {
  const pools = problem.nodePools.map(({ metadata, spec }) => ({
    taints: spec.template.spec.taints ?? [],
    machines: poolMachines(problem, metadata.name),
  }));
  const known = new Map<string, ReadonlySet<string>>();
  return (pod, topologyKey, labels) => {
    const spec = settledSpec(pod.spec, labels);
    const key = JSON.stringify([topologyKey, spec.nodeSelector, spec.affinity, spec.tolerations]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const open = pools.filter(({ taints }) => repellingTaint(spec.tolerations, taints) === undefined);
    const found = new Set(
      open.flatMap(({ machines }) => machines.flatMap((machine) => domainsOn(machine, spec, topologyKey))),
    );
    known.set(key, found);
    return found;
  };
}

/** What scheduling onto such a node reads of the pod's choice of nodes. */
function settledSpec(spec: PodSpec, labels: Labels): PodSpec {
  const { nodeSelector, affinity, tolerations } = spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = (required?.nodeSelectorTerms ?? []).filter((term) => termMatches(term, labels));
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } };
  return {
    containers: [],
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(required === undefined ? {} : { affinity: { nodeAffinity } }),
    ...(tolerations === undefined ? {} : { tolerations }),
  };
}

function domainsOn(machine: Machine, spec: PodSpec, topologyKey: string): readonly string[] {
  // Whatever has no value yet is no domain.
  const values = (machine.open.get(topologyKey) ?? []).filter((value) => value === undefined || value === "some-value");
  if (values.length > 0) return [];
  return labelings(machine, [topologyKey, ...selectedKeys(spec)])
    .filter((labels) => selectsNode(spec, labels))
    .flatMap((labels) => labels[topologyKey] ?? []);
}
