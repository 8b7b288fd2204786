import type { Json } from "#api/core-v1/meta.ts";
import { decisionAnnotation, fieldManager, stateName, stateNamespace } from "#api/outrigger-names.ts";
import { isJsonObject } from "#api/problem.ts";
import { formatTime } from "#api/time.ts";
import type {
  ClusterCommand,
  CreateNodeClaim,
  EvictPod,
  PatchMetadata,
  PatchState,
  RecordEvent,
} from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { ObjectKind, ObjectRef } from "#core/object-ref.ts";
import { presentOf } from "#core/state/state-patch.ts";
import { faultOf, faultOfBroken } from "./fault-table.ts";
import {
  capacityBufferResource,
  eventResource,
  nodeOverlayResource,
  pathOf,
  type Resource,
  resourceOf,
} from "./resource.ts";
import { parseJson, statusOf } from "./status.ts";
import type { ApiCall, Transport } from "./transport.ts";

/** For one command with all its repetitions; well below what is left of a Lease that is renewed in time. */
export const writeTimeoutMs = 5_000;

export type Written =
  /** As the API server holds it now. */
  | { readonly kind: "object"; readonly resource: Resource; readonly raw: unknown }
  /** This write ended it. */
  | { readonly kind: "gone" }
  /** Done, and no object was answered. */
  | { readonly kind: "accepted" }
  | { readonly kind: "failed"; readonly fault: Fault };

/** Carries commands out. Each is one that may be sent twice, by what it asks or by its precondition. */
export class CommandWriter {
  readonly #transport: Transport;
  readonly #nodeClass: Resource;

  constructor(transport: Transport, nodeClass: Resource) {
    this.#transport = transport;
    this.#nodeClass = nodeClass;
  }

  write(command: ClusterCommand): Promise<Written> {
    switch (command.kind) {
      case "create-node-claim":
        return this.#createNodeClaim(command);
      case "patch-metadata":
        return this.#patch(command.target, { metadata: metadataOf(command) });
      case "taint-node":
        return this.#patch(command.target, {
          spec: { taints: command.taints as unknown as Json },
          ...(command.labels === undefined ? {} : { metadata: { labels: command.labels } }),
        });
      case "patch-status":
        return this.#patch(command.target, { status: command.status }, "status");
      case "delete-object":
        return this.#delete(command.target, command.gracePeriodSeconds);
      case "evict-pod":
        return this.#evict(command);
      case "patch-state":
        return this.#patchState(command);
      case "record-event":
        return this.#recordEvent(command);
    }
  }

  resourceOf(kind: ObjectKind): Resource {
    switch (kind) {
      case "NodeClass":
        return this.#nodeClass;
      case "NodeOverlay":
        return nodeOverlayResource;
      case "CapacityBuffer":
        return capacityBufferResource;
      default:
        return resourceOf(kind);
    }
  }

  /** A repetition of this very decision is success: the first attempt took effect and its answer was lost. */
  async #createNodeClaim({ nodeClaim }: CreateNodeClaim): Promise<Written> {
    const resource = resourceOf("NodeClaim");
    const created = await this.#send(resource, { method: "POST", path: managed(pathOf(resource)), body: nodeClaim });
    if (created.kind !== "failed" || created.fault.kind !== "already-exists") return created;
    const path = pathOf(resource, undefined, nodeClaim.metadata.name);
    const existing = await this.#send(resource, { method: "GET", path });
    if (existing.kind !== "object" || !isJsonObject(existing.raw)) return created;
    const { metadata } = existing.raw;
    if (!isJsonObject(metadata) || metadata.deletionTimestamp !== undefined) return created;
    const decision = nodeClaim.metadata.annotations?.[decisionAnnotation];
    const theirs = isJsonObject(metadata.annotations) ? metadata.annotations[decisionAnnotation] : undefined;
    return decision !== undefined && theirs === decision ? existing : created;
  }

  #patch(target: ObjectRef, patch: { readonly [key: string]: Json }, subresource?: "status"): Promise<Written> {
    const resource = this.resourceOf(target.kind);
    const metadata = { ...(isJsonObject(patch.metadata) ? patch.metadata : {}), ...preconditionsOf(target) };
    return this.#send(resource, {
      method: "PATCH",
      path: managed(pathOf(resource, target.namespace, target.name, subresource)),
      contentType: "application/merge-patch+json",
      body: { ...patch, metadata },
    });
  }

  #delete(target: ObjectRef, gracePeriodSeconds: number | undefined): Promise<Written> {
    const resource = this.resourceOf(target.kind);
    const body = {
      ...{ apiVersion: "v1", kind: "DeleteOptions", preconditions: preconditionsOf(target) },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    };
    return this.#send(resource, { method: "DELETE", path: pathOf(resource, target.namespace, target.name), body });
  }

  async #evict({ target }: EvictPod): Promise<Written> {
    const resource = resourceOf("Pod");
    const { name, namespace = "default" } = target;
    const body = {
      ...{ apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } },
      deleteOptions: { preconditions: preconditionsOf(target) },
    };
    const path = pathOf(resource, namespace, name, "eviction");
    const written = await this.#send(resource, { method: "POST", path, body, waitWhenBusy: false });
    return written.kind === "failed" ? written : { kind: "accepted" };
  }

  async #patchState({ data }: PatchState): Promise<Written> {
    const resource = resourceOf("ConfigMap");
    const patch = (): Promise<Written> =>
      this.#send(resource, {
        method: "PATCH",
        path: managed(pathOf(resource, stateNamespace, stateName)),
        contentType: "application/merge-patch+json",
        body: { data },
      });
    const patched = await patch();
    if (patched.kind !== "failed" || patched.fault.kind !== "not-found") return patched;
    const made = await this.#send(resource, {
      method: "POST",
      path: managed(pathOf(resource, stateNamespace)),
      body: {
        ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: stateName, namespace: stateNamespace } },
        data: presentOf(data),
      },
    });
    return made.kind === "failed" && made.fault.kind === "already-exists" ? patch() : made;
  }

  /** 409 means that it is said already. */
  async #recordEvent(command: RecordEvent): Promise<Written> {
    const { about } = command;
    const { kind, apiVersion } = this.resourceOf(about.kind);
    const namespace = about.namespace ?? "default";
    const now = formatTime(Date.now());
    const { name: objectName, uid } = about;
    const body = {
      ...{ apiVersion: "v1", kind: "Event", metadata: { name: command.name, namespace } },
      involvedObject: {
        ...{ apiVersion: about.apiVersion ?? apiVersion, kind: about.objectKind ?? kind, name: objectName },
        ...(about.namespace === undefined ? {} : { namespace }),
        ...(uid === undefined ? {} : { uid }),
      },
      ...{ type: command.type, reason: command.reason, message: command.message },
      ...{ firstTimestamp: now, lastTimestamp: now, count: 1 },
      ...{ source: { component: fieldManager }, reportingComponent: fieldManager },
    };
    const path = managed(pathOf(eventResource, namespace));
    const said = await this.#send(eventResource, { method: "POST", path, body });
    return said.kind === "failed" && said.fault.kind !== "already-exists" ? said : { kind: "accepted" };
  }

  async #send(resource: Resource, call: Omit<ApiCall, "timeoutMs">): Promise<Written> {
    const answer = await this.#transport.call({ ...call, timeoutMs: writeTimeoutMs });
    if (answer.kind === "broken") return { kind: "failed", fault: faultOfBroken(answer) };
    if (answer.status < 200 || answer.status > 299) return { kind: "failed", fault: faultOf(statusOf(answer)) };
    const raw = parseJson(answer.body);
    if (!isJsonObject(raw) || raw.kind === "Status" || isEnded(raw.metadata)) return { kind: "gone" };
    return { kind: "object", resource, raw };
  }
}

/** The API server answers the last state of an object that this very write ended. */
function isEnded(metadata: Json | undefined): boolean {
  if (!isJsonObject(metadata) || metadata.deletionTimestamp === undefined) return false;
  const { finalizers, deletionGracePeriodSeconds } = metadata;
  const waits = Array.isArray(finalizers) && finalizers.length > 0;
  return !waits && !(typeof deletionGracePeriodSeconds === "number" && deletionGracePeriodSeconds > 0);
}

function managed(path: string): string {
  return `${path}?fieldManager=${fieldManager}`;
}

function preconditionsOf({ uid, resourceVersion }: ObjectRef): { uid?: string; resourceVersion?: string } {
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

function metadataOf({ labels, annotations, finalizers, ownerReferences }: PatchMetadata): Json {
  return {
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ...(ownerReferences === undefined ? {} : { ownerReferences: ownerReferences as unknown as Json }),
  };
}
