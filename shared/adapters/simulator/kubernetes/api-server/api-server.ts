import type { Json, KubeObject } from "#api/core-v1/meta.ts";
import { groupOf } from "#api/kinds.ts";
import type { VirtualClock } from "../../virtual-clock.ts";
import {
  type Accepted,
  type Answer,
  alreadyExists,
  badRequest,
  invalid,
  notFound,
  ok,
  type Refusal,
  refusal,
} from "./answer.ts";
import { created, isRefusal, namespaceProblem } from "./creation.ts";
import { type DeleteOptions, deletionOf, deletionRefusal, mayGo } from "./deletion.ts";
import { frozen } from "./frozen.ts";
import { Identity } from "./identity.ts";
import { isRecord } from "./merge-patch.ts";
import { type Page, Pager } from "./paging.ts";
import { builtInKinds, type KnownKind, keyOf, type ObjectOfKind, type ResourceKind } from "./resource-kinds.ts";
import { Store } from "./store.ts";
import { patched } from "./update.ts";
import type { Subresource } from "./update-rules.ts";
import { matcherOf, type Selection, type WatchEvent, type Watching, watchStore } from "./watching.ts";

export interface ListOptions extends Selection {
  readonly limit?: number;
  readonly continue?: string;
}

export interface WatchOptions extends Selection {
  /** Tell of changes after this one; absent: from now on. */
  readonly resourceVersion?: string;
}

/**
 * A Kubernetes API server in memory. Objects enter through the door of `api`, leave frozen, and change by merge patch
 * only. Every answer is data: what the real server answers with a status code is a Refusal here. Synchronous; the
 * latency of calls belongs to the client.
 */
export class ApiServer {
  readonly store = new Store();
  readonly clock: VirtualClock;
  readonly #identity: Identity;
  readonly #pager: Pager;
  readonly #kinds: ReadonlyMap<string, ResourceKind>;

  constructor(options: {
    readonly clock: VirtualClock;
    readonly seed: number;
    readonly customKinds?: readonly ResourceKind[];
  }) {
    this.clock = options.clock;
    this.#identity = new Identity(options.seed);
    this.#pager = new Pager(options.clock);
    this.#kinds = new Map([...builtInKinds, ...(options.customKinds ?? [])].map((kind) => [kind.kind, kind]));
  }

  /** The kinds that this server serves. */
  kinds(): readonly ResourceKind[] {
    return [...this.#kinds.values()];
  }

  /** 404 for a kind that is not served, 409 when the name is taken, 422 when the content is refused. */
  create(raw: unknown): Answer {
    return this.#create(raw, false);
  }

  /** As `create`, for an object out of a backup or a manifest of live objects: it keeps UID, age and status. */
  restore(raw: unknown): Answer {
    return this.#create(raw, true);
  }

  get<K extends KnownKind>(kind: K, name: string, namespace?: string): Answer<ObjectOfKind[K]>;
  get(kind: string, name: string, namespace?: string): Answer;
  get(kind: string, name: string, namespace?: string): Answer {
    const found = this.#find(kind, name, namespace);
    return found.kind === "refused" ? found : ok(found.object);
  }

  /** Sorted by namespace and name. 410 when a continue token has expired, 400 for an unreadable selector. */
  list<K extends KnownKind>(kind: K, options?: ListOptions): Page<ObjectOfKind[K]> | Refusal;
  list(kind: string, options?: ListOptions): Page | Refusal;
  list(kind: string, options: ListOptions = {}): Page | Refusal {
    if (!this.#kinds.has(kind)) return notServed(kind);
    if (options.continue !== undefined) return this.#pager.next(options.continue, options.limit);
    const matcher = matcherOf(kind, options);
    if (matcher.kind === "refused") return matcher;
    const items = this.store.list(kind).filter(matcher.matches);
    return this.#pager.first(items, options.limit, String(this.store.revision));
  }

  /** Calls `listener` within each write. 410 when the resourceVersion is too old. */
  watch(kind: string, options: WatchOptions, listener: (event: WatchEvent) => void): Watching | Refusal {
    if (!this.#kinds.has(kind)) return notServed(kind);
    const from = options.resourceVersion === undefined ? undefined : Number(options.resourceVersion);
    if (from !== undefined && !Number.isInteger(from)) return badRequest("invalid resource version");
    return watchStore(this.store, kind, options, from, listener);
  }

  /** JSON merge patch. See `patched` for preconditions and what each subresource may change. */
  patch(kind: string, name: string, namespace: string | undefined, patch: Json, subresource?: Subresource): Answer {
    const found = this.#find(kind, name, namespace);
    if (found.kind === "refused") return found;
    const { object, resource } = found;
    if (subresource === "status" && !resource.status) return notServed(`${kind}/status`);
    const next = patched(resource, object, patch, subresource);
    if (isRefusal(next)) return next;
    if (mayGo(next)) {
      this.store.remove(resource, frozen(next));
      return ok(next);
    }
    return ok(next === object ? object : this.store.put(resource, next));
  }

  patchStatus(kind: string, name: string, namespace: string | undefined, status: Json): Answer {
    return this.patch(kind, name, namespace, { status }, "status");
  }

  /** Writes the scale subresource, of the kinds that have it. */
  scale(kind: string, name: string, namespace: string | undefined, replicas: number): Answer {
    if (this.#kinds.get(kind)?.scale !== true) return notServed(`${kind}/scale`);
    if (!Number.isInteger(replicas) || replicas < 0) {
      return invalid(kind, name, [{ field: "spec.replicas", message: "must be a whole number, 0 or more" }]);
    }
    return this.patch(kind, name, namespace, { spec: { replicas } });
  }

  /** 409 when a precondition fails. The answer holds the object as it waits for its finalizers, or as it was last. */
  delete(kind: string, name: string, namespace: string | undefined, options: DeleteOptions = {}): Answer {
    const found = this.#find(kind, name, namespace);
    if (found.kind === "refused") return found;
    const { object, resource } = found;
    const refused = deletionRefusal(resource.plural, object, options);
    if (refused !== undefined) return refused;
    const deletion = deletionOf(object, options, this.clock.nowMs());
    if (deletion.kind === "gone") {
      this.store.remove(resource, object);
      return ok(object);
    }
    return ok(deletion.object === object ? object : this.store.put(resource, deletion.object));
  }

  /** Removes an object at once, whatever its finalizers say: a load is taken back. */
  discard(object: KubeObject): void {
    const kind = this.#kinds.get(object.kind);
    if (kind !== undefined) this.store.remove(kind, object);
  }

  /** Makes every list in progress expire, as a compaction of etcd does. */
  compact(): void {
    this.#pager.compact();
  }

  #create(raw: unknown, restored: boolean): Answer {
    if (!isRecord(raw) || typeof raw.kind !== "string" || typeof raw.apiVersion !== "string") {
      return badRequest("the body is not a Kubernetes object");
    }
    const kind = this.#kinds.get(raw.kind);
    if (kind === undefined || groupOf(kind.apiVersion) !== groupOf(raw.apiVersion)) {
      return notServed(`${raw.kind} in ${raw.apiVersion}`);
    }
    const context = { store: this.store, identity: this.#identity, nowMs: this.clock.nowMs() };
    const object = created(kind, structuredClone(raw), restored, context);
    if (isRefusal(object)) return object;
    const { name, namespace } = object.metadata;
    const missing = kind.namespaced ? namespaceProblem(namespace ?? "default", this.store) : undefined;
    if (missing !== undefined) return missing;
    if (this.store.get(kind.kind, keyOf(kind, name, namespace)) !== undefined) return alreadyExists(kind.plural, name);
    return ok(this.store.put(kind, object), 201);
  }

  #find(
    kind: string,
    name: string,
    namespace: string | undefined,
  ): (Accepted<KubeObject> & { readonly resource: ResourceKind }) | Refusal {
    const resource = this.#kinds.get(kind);
    if (resource === undefined) return notServed(kind);
    const object = this.store.get(kind, keyOf(resource, name, namespace));
    return object === undefined ? notFound(resource.plural, name) : { ...ok(object), resource };
  }
}

/** Typed API data as the JSON that it is. */
export function asJson(value: object): Json {
  return value as unknown as Json;
}

function notServed(what: string): Refusal {
  return refusal(404, "NotFound", `the server could not find the requested resource: ${what}`);
}
