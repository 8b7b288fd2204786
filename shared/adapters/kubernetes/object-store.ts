import type { KubeObject } from "#api/core-v1/meta.ts";
import { sameJson } from "#api/same-json.ts";
import type { ObjectProblem } from "#core/object-problem.ts";
import type { Admitted } from "./admission.ts";

/**
 * The objects of one kind as they were last heard of, by a list, by a watch or by the answer to a write of ours. Whatever
 * comes late and is older is dropped, so that these three may arrive in any order. Each method that changes something
 * answers whether a decision could tell the difference.
 */
export class ObjectStore {
  readonly #entries = new Map<string, Admitted>();
  /** UIDs of objects that a write of ours ended, until the watch has told of it too. */
  readonly #buried = new Set<string>();
  #view: readonly KubeObject[] | undefined;

  /** A new list. It is newer than everything heard before. */
  replace(entries: readonly Admitted[]): boolean {
    const before = new Map(this.#entries);
    this.#entries.clear();
    this.#buried.clear();
    this.#view = undefined;
    let changed = before.size !== entries.length;
    for (const entry of entries) {
      changed ||= differs(before.get(entry.key), entry);
      this.#entries.set(entry.key, entry);
    }
    return changed;
  }

  put(entry: Admitted): boolean {
    const known = this.#entries.get(entry.key);
    if (this.#buried.has(entry.uid)) return false;
    if (known !== undefined && !isNewer(entry.resourceVersion, known.resourceVersion)) return false;
    this.#entries.set(entry.key, entry);
    this.#view = undefined;
    return differs(known, entry);
  }

  /** Somebody's deletion, as a watch tells it. */
  remove(key: string, uid: string): boolean {
    this.#buried.delete(uid);
    return this.#drop(key, uid);
  }

  /** Our own deletion, that a watch will tell of later. */
  bury(key: string, uid: string): void {
    if (uid === "") return;
    this.#drop(key, uid);
    this.#buried.add(uid);
  }

  uidOf(key: string): string | undefined {
    return this.#entries.get(key)?.uid;
  }

  /** By key. The same array as long as nothing changed. */
  objects(): readonly KubeObject[] {
    this.#view ??= Object.freeze(
      [...this.#entries.values()]
        .sort((a, b) => (a.key < b.key ? -1 : 1))
        .flatMap(({ object }) => (object === undefined ? [] : [object])),
    );
    return this.#view;
  }

  problems(): readonly ObjectProblem[] {
    return [...this.#entries.values()].flatMap(({ problems }) => problems);
  }

  #drop(key: string, uid: string): boolean {
    if (this.#entries.get(key)?.uid !== uid) return false;
    this.#entries.delete(key);
    this.#view = undefined;
    return true;
  }
}

/** Versions of one kind are integers that grow (Kubernetes: resource versions are comparable). */
function isNewer(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length;
}

function differs(before: Admitted | undefined, after: Admitted): boolean {
  if (before?.object === undefined || after.object === undefined) return true;
  if (before.resourceVersion === after.resourceVersion) return false;
  return !sameJson(withoutVersion(before.object), withoutVersion(after.object));
}

function withoutVersion(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: "" } };
}
