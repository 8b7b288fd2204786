/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/garbagecollection of its AWS provider (instances without a claim).
 * It differs: an instance must carry this cluster's identity, not its name alone; a cluster made anew under an old name
 * takes nobody's instances. And it has brakes: nothing is collected when a read was partial, in the first tick after
 * nobody has looked for a while, or when too much would go at once.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { clusterIdentityTag, nodeClaimTag, nodeClaimUidTag } from "#api/outrigger-names.ts";
import { brake, partialReadBrake } from "../brake.ts";
import type { Command } from "../command.ts";
import { type Decision, nothing, together } from "../decision.ts";
import type { Instance } from "../instance.ts";
import { isUnreadable } from "../object-problem.ts";
import { type ObjectRef, refOf } from "../object-ref.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { keyFamilies } from "../state/key-families.ts";
import { nodesByProviderId } from "../state/node-index.ts";
import { statePatches } from "../state/state-patch.ts";
import { isLive, isOurs } from "./instance-presence.ts";

/** Karpenter: an instance younger than this may belong to a claim whose status is being written. */
const instanceGraceMs = 30_000;
/** More than this many at once, and more than this share of ours, is a mistake until a person says otherwise. */
const collectedMax = 3;
const collectedShareMax = 0.2;
/**
 * After a set-up, an outage or a restored backup the first look may show a cluster that is not whole yet. Who has not
 * looked for this long only looks.
 */
const absenceMsMax = 10 * 60_000;
/** How old the time of the last look may grow before it is written again: not each tick is a write. */
const lookedAgeMsMax = 5 * 60_000;
/** State key: when instances were last looked through, ms. */
const lookedKey = `${keyFamilies.collection.prefix}looked`;

export const instanceGarbageCollection: Stage = {
  name: "instance-garbage-collection",
  decide: (snapshot) => {
    const partial = partialReadBrake(snapshot, "No instance is collected");
    if (partial !== undefined) return { commands: [], reasons: [partial] };
    const ours = snapshot.cloud.instances.filter((instance) => isOurs(instance, snapshot) && isLive(instance));
    const ageMs = lookAgeMs(snapshot);
    // A cluster without instances has nothing to look at: it stays as it is, and nobody is woken by the writing.
    const isDue = ours.length > 0 && (ageMs === undefined || ageMs >= lookedAgeMsMax);
    const data = isDue ? { [lookedKey]: String(snapshot.nowMs) } : {};
    return together([
      { commands: statePatches("collection", snapshot.cluster.state, data), reasons: [] },
      foreignIdentities(snapshot),
      orphans(snapshot, ours, ageMs === undefined),
    ]);
  },
};

/** How long ago the last look was; undefined when that is too long ago to trust this one. */
function lookAgeMs({ cluster, nowMs }: Snapshot): number | undefined {
  const ageMs = nowMs - Number(cluster.state[lookedKey] ?? Number.NaN);
  // A look in the future is a clock that went back.
  return ageMs >= 0 && ageMs <= absenceMsMax ? ageMs : undefined;
}

function orphans(snapshot: Snapshot, ours: readonly Instance[], isFirstLook: boolean): Decision {
  const owned = ownership(snapshot.cluster.nodeClaims);
  const found = ours.filter(
    (instance) => !owned(instance) && isOldEnough(instance, snapshot) && !isDoubtful(instance, snapshot),
  );
  if (found.length === 0) return nothing;
  if (isFirstLook) {
    const minutes = absenceMsMax / 60_000;
    const message = `${found.length} instances without a NodeClaim are left alone in the first tick after more than ${minutes} min without one`;
    return { commands: [], reasons: [brake(message)] };
  }
  if (found.length > collectedMax && found.length > ours.length * collectedShareMax) {
    return {
      commands: [],
      reasons: [
        brake(
          `${found.length} of ${ours.length} instances have no NodeClaim. More than ${collectedMax} and more than ${collectedShareMax * 100} % are not terminated without a person's consent`,
        ),
      ],
    };
  }
  const nodes = nodesByProviderId(snapshot.cluster.nodes);
  return together(found.map((instance) => collect(instance, nodes.get(instance.providerID) ?? [], snapshot.nowMs)));
}

function collect(instance: Instance, nodes: readonly Node[], nowMs: number): Decision {
  const ageSeconds = Math.round((nowMs - instance.launchedAtMs) / 1000);
  const deletions = nodes
    .filter((node) => node.metadata.deletionTimestamp === undefined)
    .map((node): Command => ({ kind: "delete-object", target: refOf("Node", node) }));
  return {
    commands: [{ kind: "terminate-instance", instanceId: instance.id }, ...deletions],
    reasons: [
      {
        about: claimRef(instance),
        code: "instance-collected",
        message: `Instance ${instance.id} (${instance.instanceType}, ${ageSeconds} s old) carries this cluster's tag and no NodeClaim owns it`,
        data: { instanceId: instance.id, ageSeconds },
      },
    ],
  };
}

/** An instance is owned by the claim that records it, or by one that records none and that it was launched for. */
function ownership(claims: readonly NodeClaim[]): (instance: Instance) => boolean {
  const providerIds = new Set(claims.map((claim) => claim.status?.providerID));
  const waiting = new Set(
    claims.filter((claim) => claim.status?.providerID === undefined).map((claim) => claim.metadata.uid),
  );
  return (instance) =>
    providerIds.has(instance.providerID) || waiting.has(instance.tags[nodeClaimUidTag] ?? "(untagged)");
}

function isOldEnough(instance: Instance, snapshot: Snapshot): boolean {
  return snapshot.nowMs - instance.launchedAtMs > instanceGraceMs;
}

/** Its claim may exist and only not have been readable. */
function isDoubtful(instance: Instance, snapshot: Snapshot): boolean {
  const name = instance.tags[nodeClaimTag];
  return name !== undefined && isUnreadable(snapshot.cluster, "NodeClaim", name);
}

function foreignIdentities(snapshot: Snapshot): Decision {
  const foreign = snapshot.cloud.instances.filter(
    (instance) => isLive(instance) && !isOurs(instance, snapshot) && instance.tags[clusterIdentityTag] !== undefined,
  );
  return {
    commands: [],
    reasons: foreign.map((instance) => ({
      about: claimRef(instance),
      code: "instance-kept",
      message: `Instance ${instance.id} belongs to another cluster that has, or had, this cluster's name (${instance.tags[clusterIdentityTag]}); it is not touched`,
      data: { instanceId: instance.id },
    })),
  };
}

function claimRef(instance: Instance): ObjectRef {
  const uid = instance.tags[nodeClaimUidTag];
  return {
    kind: "NodeClaim",
    name: instance.tags[nodeClaimTag] ?? instance.id,
    ...(uid === undefined ? {} : { uid }),
  };
}
