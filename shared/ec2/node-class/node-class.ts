/**
 * Karpenter counterpart: the reads of EC2NodeClasses in pkg/cloudprovider/cloudprovider.go, resolveNodeClassFromNodeClaim
 * and resolveNodeClassFromNodePool. No difference: Ready counts for the generation it was said of.
 */
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import { ec2Group, ec2NodeClassKind } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodeClassReference } from "#api/karpenter-v1/nodepool.ts";
import { conditionOf } from "#core/condition.ts";
import type { ClusterView, NodeClass } from "#core/snapshot.ts";

/** The door has parsed every object of this group and kind as an EC2NodeClass. */
function isEc2NodeClass(object: NodeClass): object is NodeClass & EC2NodeClass {
  return object.kind === ec2NodeClassKind && object.apiVersion.startsWith(`${ec2Group}/`);
}

/** In the view's order, by name. */
export function ec2NodeClassesOf(cluster: ClusterView): readonly EC2NodeClass[] {
  return cluster.nodeClasses.filter(isEc2NodeClass);
}

export function isEc2Reference(reference: NodeClassReference): boolean {
  return reference.group === ec2Group && reference.kind === ec2NodeClassKind;
}

/** The class that `reference` names; undefined for another provider's or a missing one. */
export function findNodeClass(cluster: ClusterView, reference: NodeClassReference): EC2NodeClass | undefined {
  if (!isEc2Reference(reference)) return undefined;
  return ec2NodeClassesOf(cluster).find(({ metadata }) => metadata.name === reference.name);
}

export function claimsOf(cluster: ClusterView, nodeClass: EC2NodeClass): readonly NodeClaim[] {
  return cluster.nodeClaims.filter(
    ({ spec }) => isEc2Reference(spec.nodeClassRef) && spec.nodeClassRef.name === nodeClass.metadata.name,
  );
}

/** Ready is True and was said of the spec as it now is. */
export function isReady(nodeClass: EC2NodeClass): boolean {
  const ready = conditionOf(nodeClass, "Ready");
  return ready?.status === "True" && ready.observedGeneration === (nodeClass.metadata.generation ?? 1);
}
