/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/garbagecollection of its AWS provider (instances without a claim).
 * It differs: an instance must carry this cluster's identity, not its name alone; a cluster made anew under an old name
 * takes nobody's instances. And it has brakes: nothing is collected when a read was partial, in the first tick that
 * finds something, or when too much would go at once.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { clusterIdentityTag, nodeClaimTag, nodeClaimUidTag } from "#api/outrigger-names.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { Command } from "../command.ts";
import { type Decision, nothing, together } from "../decision.ts";
import type { Instance } from "../instance.ts";
import { nodesByProviderId } from "../node/node-index.ts";
import { type ObjectRef, refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { expiredRests } from "../state/unavailable-offerings.ts";
import { lostClaims } from "./garbage-collection.ts";
import { isLive, isOurs } from "./instance-presence.ts";

/** Karpenter: an instance younger than this may belong to a claim whose status is being written. */
const instanceGraceMs = 30_000;
/** More than this many at once, and more than this share of ours, is a mistake until a person says otherwise. */
const collectedMax = 3;
const collectedShareMax = 0.2;
/** State key: when something to collect was first seen. Without it nothing is collected. */
export const collectionKey = "collection.since";

export function collection<View>(provider: Pick<CloudProvider<unknown, View>, "nodeClass">): Stage<View> {
  return {
    name: "collect",
    decide: (snapshot) =>
      snapshot.cloud.incomplete.length > 0
        ? partialRead(snapshot)
        : together([
            { commands: expiredRests(snapshot.cluster.state, snapshot.nowMs), reasons: [] },
            foreignIdentities(snapshot),
            orphans(snapshot),
            lostClaims(snapshot, provider.nodeClass),
          ]),
  };
}

function orphans(snapshot: Snapshot): Decision {
  const ours = snapshot.cloud.instances.filter((instance) => isOurs(instance, snapshot) && isLive(instance));
  const owned = ownership(snapshot.cluster.nodeClaims);
  const found = ours.filter(
    (instance) => !owned(instance) && isOldEnough(instance, snapshot) && !isDoubtful(instance, snapshot),
  );
  if (found.length === 0) return nothing;
  if (snapshot.cluster.state[collectionKey] === undefined) {
    return {
      commands: [{ kind: "patch-state", key: collectionKey, value: String(snapshot.nowMs) }],
      reasons: [brake(`${found.length} instances without a NodeClaim are left alone in the first tick that sees any`)],
    };
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
  return name !== undefined && snapshot.cluster.problems.some((problem) => problem.object.includes(name));
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

function partialRead(snapshot: Snapshot): Decision {
  return {
    commands: [],
    reasons: [brake(`Nothing is collected: ${snapshot.cloud.incomplete.join(", ")} could not be read completely`)],
  };
}

/** A brake holds the whole fleet; reasons are said of objects, so it is said of the NodeClaims by no name. */
function brake(message: string): Reason {
  return { about: { kind: "NodeClaim", name: "*" }, code: "brake", message };
}

function claimRef(instance: Instance): ObjectRef {
  const uid = instance.tags[nodeClaimUidTag];
  return {
    kind: "NodeClaim",
    name: instance.tags[nodeClaimTag] ?? instance.id,
    ...(uid === undefined ? {} : { uid }),
  };
}
