import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import { frozen } from "./frozen.ts";
import { type KnownKind, keyOf, type ObjectOfKind, type ResourceKind } from "./resource-kinds.ts";

export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
  /** As it was before: absent for ADDED. */
  readonly previous?: KubeObject;
  readonly revision: number;
}

/** How many changes a watch may lie behind before it is told to list again. */
const historyLength = 10_000;

/**
 * The objects, frozen, by kind and key, with one revision for all of them as etcd has, and the indexes that keep
 * controllers from scanning. Listeners hear of changes in their order; a listener's own writes come after the current
 * change has been heard by all.
 */
export class Store {
  readonly #kinds = new Map<string, Map<string, KubeObject>>();
  readonly #sortedKeys = new Map<string, readonly string[]>();
  /** What `list` answered last, until an object of the kind changes. */
  readonly #lists = new Map<string, readonly KubeObject[]>();
  readonly #podsByNode = new Map<string, Map<string, Pod>>();
  readonly #ownedBy = new Map<string, Map<string, KubeObject>>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #history: Change[] = [];
  readonly #unheard: Change[] = [];
  #telling = false;
  #revision = 1;

  get revision(): number {
    return this.#revision;
  }

  get<K extends KnownKind>(kind: K, key: string): ObjectOfKind[K] | undefined;
  get(kind: string, key: string): KubeObject | undefined;
  get(kind: string, key: string): KubeObject | undefined {
    return this.#kinds.get(kind)?.get(key);
  }

  /** All objects of a kind, sorted by namespace and name. */
  list<K extends KnownKind>(kind: K): readonly ObjectOfKind[K][];
  list(kind: string): readonly KubeObject[];
  list(kind: string): readonly KubeObject[] {
    const known = this.#lists.get(kind);
    if (known !== undefined) return known;
    const objects = this.#kinds.get(kind);
    if (objects === undefined) return [];
    const keys = this.#sortedKeys.get(kind) ?? [...objects.keys()].sort();
    this.#sortedKeys.set(kind, keys);
    const list = keys.flatMap((key) => objects.get(key) ?? []);
    this.#lists.set(kind, list);
    return list;
  }

  count(kind: string): number {
    return this.#kinds.get(kind)?.size ?? 0;
  }

  podsOnNode(nodeName: string): readonly Pod[] {
    return [...(this.#podsByNode.get(nodeName)?.values() ?? [])];
  }

  /** Objects that name this UID among their owners. */
  ownedBy(uid: string): readonly KubeObject[] {
    return [...(this.#ownedBy.get(uid)?.values() ?? [])];
  }

  /** Stores `object` under a new resourceVersion and answers it as stored. */
  put(kind: ResourceKind, object: KubeObject): KubeObject {
    const key = keyOf(kind, object.metadata.name, object.metadata.namespace);
    const stored = this.#stamped(object);
    const objects = this.#kinds.get(kind.kind) ?? new Map<string, KubeObject>();
    this.#kinds.set(kind.kind, objects);
    const previous = objects.get(key);
    if (previous === undefined) this.#sortedKeys.delete(kind.kind);
    objects.set(key, stored);
    this.#lists.delete(kind.kind);
    this.#reindex(previous, stored);
    this.#tell({
      type: previous === undefined ? "ADDED" : "MODIFIED",
      object: stored,
      ...(previous === undefined ? {} : { previous }),
      revision: this.#revision,
    });
    return stored;
  }

  remove(kind: ResourceKind, object: KubeObject): void {
    const key = keyOf(kind, object.metadata.name, object.metadata.namespace);
    const previous = this.#kinds.get(kind.kind)?.get(key);
    if (previous === undefined) return;
    this.#kinds.get(kind.kind)?.delete(key);
    this.#sortedKeys.delete(kind.kind);
    this.#lists.delete(kind.kind);
    const stored = this.#stamped(object);
    this.#reindex(previous, undefined);
    this.#tell({ type: "DELETED", object: stored, previous, revision: this.#revision });
  }

  /** Hears every change from now on, until the answer is called. */
  listen(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Changes after `revision`, oldest first; undefined when some of them are forgotten already. */
  changesSince(revision: number): readonly Change[] | undefined {
    const oldest = this.#history[0]?.revision ?? this.#revision + 1;
    if (revision + 1 < oldest && revision < this.#revision) return undefined;
    return this.#history.filter((change) => change.revision > revision);
  }

  #stamped(object: KubeObject): KubeObject {
    this.#revision++;
    return frozen({ ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } });
  }

  #reindex(previous: KubeObject | undefined, next: KubeObject | undefined): void {
    const uid = (next ?? previous)?.metadata.uid ?? "";
    for (const owner of previous?.metadata.ownerReferences ?? []) removeFrom(this.#ownedBy, owner.uid, uid);
    for (const owner of next?.metadata.ownerReferences ?? []) if (next) addTo(this.#ownedBy, owner.uid, uid, next);
    if ((next ?? previous)?.kind !== "Pod") return;
    const before = (previous as Pod | undefined)?.spec.nodeName;
    const pod = next as Pod | undefined;
    if (before !== undefined) removeFrom(this.#podsByNode, before, uid);
    if (pod?.spec.nodeName !== undefined) addTo(this.#podsByNode, pod.spec.nodeName, uid, pod);
  }

  #tell(change: Change): void {
    this.#history.push(change);
    // Cut seldom: shifting a long array by one is what costs.
    if (this.#history.length > 2 * historyLength) this.#history.splice(0, historyLength);
    this.#unheard.push(change);
    if (this.#telling) return;
    this.#telling = true;
    try {
      for (let next = this.#unheard.shift(); next !== undefined; next = this.#unheard.shift()) {
        for (const listener of [...this.#listeners]) listener(next);
      }
    } finally {
      this.#telling = false;
    }
  }
}

function addTo<T>(index: Map<string, Map<string, T>>, key: string, uid: string, object: T): void {
  const objects = index.get(key);
  if (objects === undefined) index.set(key, new Map([[uid, object]]));
  else objects.set(uid, object);
}

function removeFrom<T>(index: Map<string, Map<string, T>>, key: string, uid: string): void {
  const objects = index.get(key);
  objects?.delete(uid);
  if (objects?.size === 0) index.delete(key);
}
