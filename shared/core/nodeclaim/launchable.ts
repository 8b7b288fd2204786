/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/launch.go, the guards of its Reconcile. It differs: an
 * instance that is only tagged for the claim stops its launch too.
 */
import { terminationFinalizer } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { isTrue } from "../condition.ts";
import { launched } from "./conditions.ts";
import { type Instances, taggedInstance } from "./instance-presence.ts";
import { isDeleting, isManagedClaim, type NodeClassKind } from "./managed.ts";

/** The finalizer comes before any launch, and a claim with an instance of its own launches nothing, recorded or not. */
export function isLaunchable(claim: NodeClaim, nodeClass: NodeClassKind, instances: Instances): boolean {
  return (
    isManagedClaim(claim, nodeClass) &&
    !isDeleting(claim) &&
    claim.metadata.uid !== undefined &&
    (claim.metadata.finalizers ?? []).includes(terminationFinalizer) &&
    claim.status?.providerID === undefined &&
    !isTrue(claim, launched) &&
    taggedInstance(claim, instances) === undefined
  );
}
