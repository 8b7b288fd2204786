/** A plan in the answer's form. */
import type { Pod } from "#api/core-v1/pod.ts";
import { hostnameLabel, initializedLabel, registeredLabel } from "#api/karpenter-v1/labels.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import type { Plan } from "#core/provisioning/plan.ts";
import { specsOfRequirements } from "#core/scheduling/requirements/requirements.ts";
import { resourceListOf } from "#core/scheduling/resources/resources.ts";
import type { PlacedOnNode, PlannedClaim } from "#core/scheduling/solution.ts";
import type { AnswerClaim, AnswerNode, Placement, Problem } from "./problem.ts";

/** Claims by their first pod, so that the order says nothing of how they were found. */
export function placementOf(plan: Plan, problem: Problem, nodeClassLabel: string): Placement {
  const hidden = new Set([hostnameLabel, registeredLabel, initializedLabel, nodeClassLabel]);
  const nodeClaims = plan.claims.map(({ planned }) => claimOf(planned, hidden)).sort(byFirstPod);
  const existingNodes = placedOnNodes(plan.placements);
  return { nodeClaims, existingNodes, podErrors: errorsOf(plan, problem, nodeClaims, existingNodes) };
}

export function placedOnNodes(placements: readonly PlacedOnNode[]): readonly AnswerNode[] {
  return placements.map(({ node, pods }) => ({ name: node.name, pods: names(pods) }));
}

export function claimOf(planned: PlannedClaim, hidden: ReadonlySet<string>): AnswerClaim {
  const { cheapest } = planned;
  return {
    nodePool: planned.nodePool.metadata.name,
    requirements: specsOfRequirements(planned.requirements)
      .filter(({ key }) => !hidden.has(key))
      .map(withSortedValues)
      .sort(byKey),
    instanceTypes: planned.instanceTypes,
    cheapest: {
      instanceType: cheapest.instanceType,
      zone: cheapest.zone,
      capacityType: cheapest.capacityType,
      price: cheapest.pricePerHour,
    },
    requests: resourceListOf(planned.requests),
    pods: names(planned.pods),
  };
}

function errorsOf(
  plan: Plan,
  { pods }: Problem,
  claims: readonly AnswerClaim[],
  nodes: readonly AnswerNode[],
): Readonly<Record<string, string>> {
  const errors = new Map<string, string>();
  for (const unplaced of [...plan.unschedulable, ...plan.deferred, ...plan.ignored]) {
    for (const pod of unplaced.pods) errors.set(nameOf(pod), unplaced.message);
  }
  const placed = new Set([...claims, ...nodes].flatMap((one) => one.pods));
  for (const pod of pods) {
    const name = nameOf(pod);
    if (pod.spec.nodeName === undefined && !placed.has(name) && !errors.has(name)) {
      errors.set(name, "ignored: it asks for a node that no NodePool makes");
    }
  }
  return Object.fromEntries([...errors].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function withSortedValues(spec: RequirementSpec): RequirementSpec {
  return spec.values === undefined ? spec : { ...spec, values: [...spec.values].sort() };
}

function byKey(a: RequirementSpec, b: RequirementSpec): number {
  const [first, second] = [`${a.key} ${a.operator}`, `${b.key} ${b.operator}`];
  return first < second ? -1 : first > second ? 1 : 0;
}

function byFirstPod(a: AnswerClaim, b: AnswerClaim): number {
  const [first, second] = [a.pods[0] ?? "", b.pods[0] ?? ""];
  return first < second ? -1 : first > second ? 1 : 0;
}

function names(pods: readonly Pod[]): readonly string[] {
  return pods.map(nameOf).sort();
}

function nameOf({ metadata }: Pod): string {
  return `${metadata.namespace ?? "default"}/${metadata.name}`;
}
