import type { Pod } from "#api/core-v1/pod.ts";
import { capacityTypeLabel, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { defaultBudgetNodes } from "#api/karpenter-v1/nodepool-defaults.ts";
import { sameJson } from "#api/same-json.ts";
import { spotTypesMin } from "#core/disruption/cheaper-claim.ts";
import { isManagedPool } from "#core/nodeclaim/managed.ts";
import { objectName } from "#core/object-ref.ts";
import { isDisruptable } from "#core/pod/pod-predicates.ts";
import { indicesOf } from "#core/scheduling/instance-types/bitset.ts";
import { valueRequirement } from "#core/scheduling/requirements/requirement.ts";
import {
  firstConflict,
  intersectRequirements,
  labelRequirements,
  type Requirements,
  requirementsOf,
} from "#core/scheduling/requirements/requirements.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2View } from "#ec2/view.ts";
import { poolTypes } from "../plan/pool-types.ts";
import type { Advice } from "./advice.ts";

export function nodePoolAdvice(snapshot: Snapshot<Ec2View>): readonly Advice[] {
  const pools = snapshot.cluster.nodePools.filter((pool) => isManagedPool(pool, ec2Provider.nodeClass));
  return [
    ...pools.flatMap((pool) => [
      ...classAdvice(snapshot, pool),
      ...limitAdvice(pool),
      ...budgetAdvice(pool),
      ...spotAdvice(snapshot, pool),
      ...graceAdvice(snapshot, pool),
    ]),
    ...overlapAdvice(pools),
  ];
}

function about({ metadata }: NodePool, field: string, found: string, fix: string): Advice {
  return { object: `NodePool/${metadata.name}`, field, found, fix };
}

/** Without its class a pool makes no node, and its claims do not drift. */
function classAdvice({ cluster }: Snapshot<Ec2View>, pool: NodePool): readonly Advice[] {
  const { kind, name } = pool.spec.template.spec.nodeClassRef;
  if (cluster.nodeClasses.some(({ metadata }) => metadata.name === name)) return [];
  const isUnreadable = cluster.problems.some(({ ref }) => ref.kind === "NodeClass" && ref.name === name);
  const found = isUnreadable
    ? `${kind}/${name} cannot be read`
    : `there is no ${kind}/${name}, and the pool makes no node`;
  const fix = isUnreadable
    ? "outrigger convert --check names what is wrong with it"
    : "make it, or name one that is there";
  return [about(pool, "spec.template.spec.nodeClassRef.name", found, fix)];
}

function limitAdvice(pool: NodePool): readonly Advice[] {
  if (Object.keys(pool.spec.limits ?? {}).length > 0) return [];
  return [about(pool, "spec.limits", "nothing bounds what it may cost", "set cpu and memory, or nodes")];
}

function budgetAdvice(pool: NodePool): readonly Advice[] {
  const { budgets } = pool.spec.disruption;
  if (!sameJson(budgets, [{ nodes: defaultBudgetNodes }])) return [];
  const found = "only the default budget of 10 % holds, at any hour and for any reason";
  return [
    about(pool, "spec.disruption.budgets", found, "say how many nodes may go for which reasons, and when none may"),
  ];
}

function spotAdvice(snapshot: Snapshot<Ec2View>, pool: NodePool): readonly Advice[] {
  const types = poolTypes(snapshot, pool);
  if (types.kind === "unknown") return [];
  const { index, sets, set } = types;
  const isSpot = valueRequirement(capacityTypeLabel, "spot");
  const spot = sets.narrow(set, sets.intern(new Map([[capacityTypeLabel, isSpot]])));
  if (spot === undefined) return [];
  const count = indicesOf(index.launchable(spot)).length;
  if (count >= spotTypesMin) return [];
  const found = `leaves ${count} spot instance types, fewer than ${spotTypesMin}`;
  return [about(pool, "spec.template.spec.requirements", found, "allow more families, sizes or generations")];
}

/** A pod that must not be disrupted holds its node for ever, also against drift and expiry. */
function graceAdvice({ cluster, nowMs }: Snapshot<Ec2View>, pool: NodePool): readonly Advice[] {
  if (pool.spec.template.spec.terminationGracePeriod !== undefined) return [];
  const names = new Set(
    cluster.nodes
      .filter(({ metadata }) => metadata.labels?.[nodePoolLabel] === pool.metadata.name)
      .map(({ metadata }) => metadata.name),
  );
  const holding = cluster.pods.filter((pod: Pod) => names.has(pod.spec.nodeName ?? "") && !isDisruptable(pod, nowMs));
  const [first] = holding;
  if (first === undefined) return [];
  const found = `is not set, and ${holding.length === 1 ? "pod" : `${holding.length} pods, among them`} ${objectName(first.metadata)} must not be disrupted`;
  return [
    about(
      pool,
      "spec.template.spec.terminationGracePeriod",
      found,
      "set the longest time that such a pod may hold a node",
    ),
  ];
}

/** Which of two pools makes a node for a pod that both would take is then a matter of their names. */
function overlapAdvice(pools: readonly NodePool[]): readonly Advice[] {
  const sorted = [...pools].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  return sorted.flatMap((pool, index) => {
    const rivals = sorted
      .slice(index + 1)
      .filter((other) => overlaps(pool, other))
      .map(({ metadata }) => metadata.name);
    if (rivals.length === 0) return [];
    const found = `${pool.spec.weight ?? "none"}, as of NodePool ${rivals.join(", ")}, which would take the same pods`;
    return [about(pool, "spec.weight", found, "give them different weights, or requirements or taints that part them")];
  });
}

function overlaps(a: NodePool, b: NodePool): boolean {
  if ((a.spec.weight ?? 0) !== (b.spec.weight ?? 0)) return false;
  if (!sameJson(a.spec.template.spec.taints ?? [], b.spec.template.spec.taints ?? [])) return false;
  return firstConflict(nodesOf(a), nodesOf(b)) === undefined;
}

/** What its nodes have in common, its own name and class apart. */
function nodesOf({ spec }: NodePool): Requirements {
  const { metadata, spec: node } = spec.template;
  return intersectRequirements(requirementsOf(node.requirements), labelRequirements(metadata?.labels));
}
