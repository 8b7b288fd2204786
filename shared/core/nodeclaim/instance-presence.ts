/**
 * Karpenter counterpart: CloudProvider.Get and List, and the not-found answers that its controllers wait for. It
 * differs: the answer has a third value. A cloud's reads lag behind its writes in both directions and a read may be
 * partial, so an instance that is not listed is only gone when the list is complete and the instance is no newcomer.
 */
import { nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { clusterIdentityTag, nodeClaimTag, nodeClaimUidTag } from "#api/outrigger-names.ts";
import type { Instance } from "../instance.ts";
import { byKey, inTurn } from "../order.ts";
import type { Snapshot } from "../snapshot.ts";
import { launched, waitingSinceMs } from "./conditions.ts";

/** How long the cloud may hide an instance after its launch. Seconds as a rule; a minute is what the documentation of a big one asks to allow. */
export const consistencyGraceMs = 60_000;

export interface Instances {
  readonly byProviderId: ReadonlyMap<string, Instance>;
  /** Live and tagged for this cluster, by the UID of the claim that they were launched for; the oldest first. */
  readonly byClaimUid: ReadonlyMap<string, readonly Instance[]>;
}

export function indexInstances(snapshot: Snapshot): Instances {
  const byProviderId = new Map<string, Instance>();
  const byClaimUid = new Map<string, Instance[]>();
  const sorted = [...snapshot.cloud.instances].sort(
    inTurn(
      byKey(({ launchedAtMs }) => launchedAtMs),
      byKey(({ id }) => id),
    ),
  );
  for (const instance of sorted) {
    byProviderId.set(instance.providerID, instance);
    const uid = instance.tags[nodeClaimUidTag];
    if (uid === undefined || !isOurs(instance, snapshot) || !isLive(instance)) continue;
    const others = byClaimUid.get(uid);
    if (others === undefined) byClaimUid.set(uid, [instance]);
    else others.push(instance);
  }
  return { byProviderId, byClaimUid };
}

/** Launched by this cluster, not by one that had its name before. */
export function isOurs(instance: Instance, snapshot: Snapshot): boolean {
  return instance.tags[clusterIdentityTag] === snapshot.settings.clusterIdentity;
}

/**
 * Seen, and not ours to end: it carries another cluster's identity, or no tag of this product's or Karpenter's. An
 * instance that Karpenter launched has no identity until it is tagged, and may be ended with its claim.
 */
export function isForeign(instance: Instance, { settings }: Snapshot): boolean {
  const identity = instance.tags[clusterIdentityTag];
  if (identity !== undefined) return settings.clusterIdentity !== "" && identity !== settings.clusterIdentity;
  return [nodePoolLabel, nodeClaimTag, nodeClaimUidTag].every((tag) => instance.tags[tag] === undefined);
}

export function isLive(instance: Instance): boolean {
  return instance.state !== "shutting-down" && instance.state !== "terminated";
}

/** The live instance launched for this claim, found by its tag; the oldest if there were several. */
export function taggedInstance(claim: NodeClaim, instances: Instances): Instance | undefined {
  const { uid } = claim.metadata;
  return uid === undefined ? undefined : instances.byClaimUid.get(uid)?.[0];
}

/** The instance's id is the last part of its provider ID, by the convention of all cloud providers. */
export function instanceIdOf(providerID: string): string {
  return providerID.slice(providerID.lastIndexOf("/") + 1);
}

/**
 * - `live`: listed in a state from which it does not end by itself.
 * - `leaving`: on its way out, or not to be seen and perhaps only hidden.
 * - `gone`: the cloud says terminated, or a complete list has not had it for longer than the cloud may hide it.
 */
export type Presence = "live" | "leaving" | "gone";

/**
 * What became of the instance that the claim's status names. A termination that this tick asked for counts; the cloud answers
 * not-found for a newcomer too, so that is believed only past the grace.
 */
export function presenceOf(claim: NodeClaim, providerID: string, instances: Instances, snapshot: Snapshot): Presence {
  const instance = instances.byProviderId.get(providerID);
  if (instance?.state === "terminated") return "gone";
  const answer = terminationAnswer(instanceIdOf(providerID), snapshot);
  const isNewcomer = snapshot.nowMs - waitingSinceMs(claim, launched, snapshot.nowMs) <= consistencyGraceMs;
  if (answer === "not-found") return isNewcomer ? "leaving" : "gone";
  if (instance !== undefined) return isLive(instance) ? "live" : "leaving";
  return answer === "accepted" || isNewcomer || snapshot.cloud.incomplete.length > 0 ? "leaving" : "gone";
}

function terminationAnswer(instanceId: string, snapshot: Snapshot): "accepted" | "not-found" | undefined {
  for (const { command, outcome } of snapshot.steps) {
    if (command.kind !== "terminate-instance" || command.instanceId !== instanceId) continue;
    if (outcome.kind === "done") return "accepted";
    if (outcome.fault.kind === "not-found") return "not-found";
  }
  return undefined;
}
