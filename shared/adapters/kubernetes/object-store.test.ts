import { describe, expect, test } from "vitest";
import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Admitted } from "./admission.ts";
import { ObjectStore } from "./object-store.ts";

function entry(
  key: string,
  version: string,
  change: { readonly uid?: string; readonly label?: string } = {},
): Admitted {
  const uid = change.uid ?? `uid-${key}`;
  const metadata = { name: key, uid, resourceVersion: version, labels: { a: change.label ?? "1" } };
  const object: KubeObject = { apiVersion: "v1", kind: "Pod", metadata };
  return { key, uid, resourceVersion: version, object, problems: [] };
}
const names = (store: ObjectStore): readonly string[] => store.objects().map(({ metadata }) => metadata.name);

describe("a store", () => {
  test("keeps its objects in the order of their keys, and the same array while nothing changes", () => {
    const store = new ObjectStore();
    store.replace([entry("b", "1"), entry("a", "2")]);
    expect(names(store)).toEqual(["a", "b"]);
    expect(store.objects()).toBe(store.objects());
  });

  test("drops what is older than what it has, whatever brings it", () => {
    const store = new ObjectStore();
    store.put(entry("a", "10", { label: "new" }));
    expect(store.put(entry("a", "9", { label: "old" }))).toBe(false);
    expect(store.objects()[0]?.metadata.labels).toEqual({ a: "new" });
  });

  test("says that nothing changed when only the version did", () => {
    const store = new ObjectStore();
    store.put(entry("a", "1"));
    expect(store.put(entry("a", "2"))).toBe(false);
    expect(store.put(entry("a", "3", { label: "2" }))).toBe(true);
    expect(store.objects()[0]?.metadata.resourceVersion).toBe("3");
  });

  test("does not let late news bring an object back that we ended", () => {
    const store = new ObjectStore();
    store.put(entry("a", "1"));
    store.bury("a", "uid-a");
    expect(names(store)).toEqual([]);
    expect(store.put(entry("a", "2", { label: "late" }))).toBe(false);
    expect(store.remove("a", "uid-a")).toBe(false);
    expect(names(store)).toEqual([]);
    expect(store.put(entry("a", "4", { uid: "another" }))).toBe(true);
  });

  test("does not take the end of an earlier object for the end of its namesake", () => {
    const store = new ObjectStore();
    store.put(entry("a", "5", { uid: "second" }));
    expect(store.remove("a", "first")).toBe(false);
    expect(names(store)).toEqual(["a"]);
  });

  test("a new list replaces everything and says whether that matters", () => {
    const store = new ObjectStore();
    store.replace([entry("a", "1"), entry("b", "1")]);
    expect(store.replace([entry("a", "2"), entry("b", "1")])).toBe(false);
    expect(store.replace([entry("a", "2")])).toBe(true);
    expect(names(store)).toEqual(["a"]);
  });
});
