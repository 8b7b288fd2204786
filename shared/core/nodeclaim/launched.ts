/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/lifecycle/launch.go, PopulateNodeClaimDetails. It differs: the status
 * is written first and under a lock, then the labels; whoever dies in between is repaired by the next tick (adoption).
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { CloudProvider, LaunchedFacts } from "../cloud-provider.ts";
import type { Command, PatchMetadata } from "../command.ts";
import type { Instance } from "../instance.ts";
import { refOf } from "../object-ref.ts";
import type { Snapshot } from "../snapshot.ts";
import { claimStatusPatch, launched } from "./conditions.ts";

export type LaunchKnowledge<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "launched">;

/** Writes onto the claim that `instance` is its own. */
export function launchedCommands<View>(
  snapshot: Snapshot<View>,
  provider: LaunchKnowledge<View>,
  claim: NodeClaim,
  instance: Instance,
): readonly Command[] {
  const facts = provider.launched(snapshot, claim, instance);
  const fields = {
    providerID: instance.providerID,
    ...(instance.imageId === undefined ? {} : { imageID: instance.imageId }),
    capacity: facts.capacity,
    allocatable: facts.allocatable,
  };
  const status = claimStatusPatch(claim, [{ type: launched, status: "True" }], fields, snapshot.nowMs);
  return [status, metadataPatch(claim, facts)].filter((command) => command !== undefined);
}

/** Labels: the claim's own win (users set them). Annotations: the provider's win. */
export function metadataPatch(claim: NodeClaim, facts: LaunchedFacts): PatchMetadata | undefined {
  const labels = Object.fromEntries(
    Object.entries(facts.labels).filter(([key]) => claim.metadata.labels?.[key] === undefined),
  );
  const annotations = Object.fromEntries(
    Object.entries(facts.annotations).filter(([key, value]) => claim.metadata.annotations?.[key] !== value),
  );
  if (Object.keys(labels).length === 0 && Object.keys(annotations).length === 0) return undefined;
  return { kind: "patch-metadata", target: refOf("NodeClaim", claim), labels, annotations };
}
