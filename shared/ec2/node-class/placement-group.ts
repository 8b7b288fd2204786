/**
 * Karpenter counterpart: pkg/providers/placementgroup. It differs: a group that cannot be found stops the class and every
 * launch of it; there is no cached one to go on with.
 */
import type { EC2NodeClassSpec } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { allowsValue } from "#core/scheduling/requirements/requirement.ts";
import { requirementsOf } from "#core/scheduling/requirements/requirements.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { placementGroupPartitionLabel } from "../labels.ts";
import type { Ec2View, FilterQuery, PlacementGroup } from "../view.ts";
import { filterQuery } from "./filter-query.ts";
import { findNodeClass } from "./node-class.ts";

export const partitionStrategy = "partition";

export function placementGroupQueries({ placementGroupSelector: selector }: EC2NodeClassSpec): readonly FilterQuery[] {
  if (selector === undefined) return [];
  const { name, id } = selector;
  return [
    filterQuery([
      ...(name === undefined ? [] : [{ name: "group-name", values: [name] }]),
      ...(id === undefined ? [] : [{ name: "group-id", values: [id] }]),
    ]),
  ];
}

/** The group that the class names, where this tick's read found it. */
export function placementGroupOf(spec: EC2NodeClassSpec, view: Ec2View): PlacementGroup | undefined {
  const [query] = placementGroupQueries(spec);
  return query === undefined ? undefined : view.placementGroups?.[query.key]?.[0];
}

/**
 * The partition that the claim asks for, the lowest of several; undefined: EC2 chooses. Karpenter takes the first by
 * text, so that "10" comes before "2".
 */
export function partitionOf(claim: NodeClaim, { strategy, partitions = 0 }: PlacementGroup): number | undefined {
  const wanted = requirementsOf(claim.spec.requirements).get(placementGroupPartitionLabel);
  if (strategy !== partitionStrategy || wanted === undefined) return undefined;
  const all = Array.from({ length: partitions }, (_, index) => index + 1);
  return all.find((partition) => allowsValue(wanted, String(partition)));
}

/**
 * Why the claim's node may not be registered yet: pods that spread over the partitions must find the number on it, and EC2
 * shows the one that it chose itself only with the instance. Karpenter: the registration hook of pkg/controllers/nodeclaim.
 */
export function partitionUnknown({ cluster, cloud }: Snapshot<Ec2View>, claim: NodeClaim): string | undefined {
  if (claim.metadata.labels?.[placementGroupPartitionLabel] !== undefined) return undefined;
  const nodeClass = findNodeClass(cluster, claim.spec.nodeClassRef);
  const group = nodeClass === undefined ? undefined : placementGroupOf(nodeClass.spec, cloud.view);
  if (group?.strategy !== partitionStrategy) return undefined;
  return `EC2 does not show yet which partition of placement group ${group.name} its instance is in`;
}
