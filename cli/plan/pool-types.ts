import { coreWellKnownLabels } from "#api/karpenter-v1/labels.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { baseRequirements } from "#core/scheduling/claims/candidate-pool.ts";
import { InstanceTypeIndex } from "#core/scheduling/instance-types/instance-type-index.ts";
import { type RequirementSet, RequirementSets } from "#core/scheduling/requirements/requirement-set.ts";
import { Dimensions } from "#core/scheduling/resources/resource-vector.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2View } from "#ec2/view.ts";

/** The types of a pool's node class as the scheduler asks about them, and what the pool requires; or why none is known. */
export type PoolTypes =
  | {
      readonly kind: "known";
      readonly index: InstanceTypeIndex;
      readonly sets: RequirementSets;
      /** The pool's own requirements and labels. */
      readonly set: RequirementSet;
    }
  | { readonly kind: "unknown"; readonly message: string };

export function poolTypes(snapshot: Snapshot<Ec2View>, nodePool: NodePool): PoolTypes {
  const answer = ec2Provider.instanceTypes(snapshot, nodePool);
  if (answer.kind === "unknown") return answer;
  const sets = new RequirementSets([...coreWellKnownLabels, ...ec2Provider.wellKnownLabels]);
  const set = sets.intern(baseRequirements(nodePool, ec2Provider.nodeClass.label));
  return { kind: "known", index: new InstanceTypeIndex(answer.instanceTypes, new Dimensions([])), sets, set };
}
