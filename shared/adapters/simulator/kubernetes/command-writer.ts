import type { Json, KubeObject } from "#api/core-v1/meta.ts";
import { decisionAnnotation, fieldManager, stateName, stateNamespace } from "#api/outrigger-names.ts";
import { formatTime } from "#api/time.ts";
import type { ClusterCommand, CreateNodeClaim, PatchMetadata, PatchState, RecordEvent } from "#core/command.ts";
import type { ObjectRef } from "#core/object-ref.ts";
import { presentOf } from "#core/state/state-patch.ts";
import { type Answer, ok } from "./api-server/answer.ts";
import { type ApiServer, asJson } from "./api-server/api-server.ts";
import { evictPod } from "./api-server/pod-subresources.ts";

/** Carries one command out by the calls that the real adapter makes for it. */
export function write(command: ClusterCommand, api: ApiServer): Answer {
  switch (command.kind) {
    case "create-node-claim":
      return createNodeClaim(command, api);
    case "patch-metadata":
      return patchTarget(command.target, { metadata: metadataOf(command) }, api);
    case "taint-node":
      return patchTarget(
        command.target,
        {
          spec: { taints: asJson(command.taints) },
          ...(command.labels === undefined ? {} : { metadata: { labels: command.labels } }),
        },
        api,
      );
    case "patch-status":
      return patchTarget(command.target, { status: command.status }, api, "status");
    case "delete-object":
      return api.delete(kindIn(command.target), command.target.name, command.target.namespace, {
        ...preconditionsOf(command.target),
        ...(command.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: command.gracePeriodSeconds }),
      });
    case "evict-pod":
      return evictPod(api, command.target.namespace, command.target.name, preconditionsOf(command.target));
    case "patch-state":
      return patchState(command, api);
    case "record-event":
      return recordEvent(command, api);
  }
}

/** A node class is of whatever kind its provider has. */
function kindIn(target: ObjectRef): string {
  return target.kind === "NodeClass" ? (target.objectKind ?? "NodeClass") : target.kind;
}

function preconditionsOf({ uid, resourceVersion }: ObjectRef): { uid?: string; resourceVersion?: string } {
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

type Patch = { readonly [key: string]: Json };

function patchTarget(target: ObjectRef, patch: Patch, api: ApiServer, subresource?: "status"): Answer {
  const metadata = { ...(patch.metadata as Patch | undefined), ...preconditionsOf(target) };
  return api.patch(kindIn(target), target.name, target.namespace, { ...patch, metadata }, subresource);
}

function metadataOf(command: PatchMetadata): Json {
  const { labels, annotations, finalizers, ownerReferences } = command;
  return {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(ownerReferences === undefined ? {} : { ownerReferences: asJson(ownerReferences) }),
  };
}

/** A repetition of this very decision is success: the first attempt took effect and its answer was lost. */
function createNodeClaim({ nodeClaim }: CreateNodeClaim, api: ApiServer): Answer {
  const answer = api.create(nodeClaim);
  if (answer.kind === "ok" || answer.reason !== "AlreadyExists") return answer;
  const existing = api.get("NodeClaim", nodeClaim.metadata.name);
  if (existing.kind === "refused") return answer;
  const decision = nodeClaim.metadata.annotations?.[decisionAnnotation];
  const same = decision !== undefined && existing.object.metadata.annotations?.[decisionAnnotation] === decision;
  return same && existing.object.metadata.deletionTimestamp === undefined ? ok(existing.object) : answer;
}

function patchState({ data }: PatchState, api: ApiServer): Answer {
  const patch = (): Answer => api.patch("ConfigMap", stateName, stateNamespace, { data });
  const answer = patch();
  if (answer.kind === "ok" || answer.code !== 404) return answer;
  const made = api.create({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: stateName, namespace: stateNamespace },
    data: presentOf(data),
  });
  return made.kind === "refused" && made.reason === "AlreadyExists" ? patch() : made;
}

/** 409 means that it is said already. */
function recordEvent(command: RecordEvent, api: ApiServer): Answer {
  const { about } = command;
  const now = formatTime(api.clock.nowMs());
  const event: KubeObject & Readonly<Record<string, unknown>> = {
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: command.name, namespace: about.namespace ?? "default" },
    involvedObject: {
      apiVersion: about.apiVersion ?? apiVersionOf(about, api),
      kind: kindIn(about),
      name: about.name,
      ...(about.namespace === undefined ? {} : { namespace: about.namespace }),
      ...(about.uid === undefined ? {} : { uid: about.uid }),
    },
    type: command.type,
    reason: command.reason,
    message: command.message,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
    source: { component: fieldManager },
    reportingComponent: fieldManager,
  };
  const answer = api.create(event);
  return answer.kind === "refused" && answer.reason === "AlreadyExists" ? ok(event) : answer;
}

function apiVersionOf(about: ObjectRef, api: ApiServer): string {
  return api.kinds().find(({ kind }) => kind === kindIn(about))?.apiVersion ?? "v1";
}
