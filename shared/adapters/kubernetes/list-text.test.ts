import { describe, expect, test } from "vitest";
import { readListText } from "./list-text.ts";

const metadata = { resourceVersion: "42", continue: "token" };
const items = (body: unknown): unknown[] | undefined => {
  const list = readListText(JSON.stringify(body));
  return list === undefined ? undefined : [...list.items];
};

describe("a list's text", () => {
  test("gives its head before its items are parsed", () => {
    const list = readListText(
      JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata, items: [{ metadata: { name: "a" } }] }),
    );
    expect(list).toMatchObject({ resourceVersion: "42", continue: "token" });
  });

  test("of typed items and of custom resources has the same items as its JSON", () => {
    const typed = [1, 2, 3].map((index) => ({ metadata: { name: `p-${index}` }, spec: { "}]": [{ a: 1 }] } }));
    const custom = typed.map((item) => ({ apiVersion: "karpenter.sh/v1", kind: "NodeClaim", ...item }));
    for (const all of [typed, custom, [], typed.slice(0, 1)]) {
      expect(items({ kind: "List", metadata, items: all })).toEqual(all);
    }
  });

  test("is not cut inside an item that holds a list of named things itself", () => {
    const templates = ["a", "b", "c"].map((name) => ({ metadata: { name }, spec: {} }));
    const sets = ["x", "y"].map((name) => ({ metadata: { name }, spec: { volumeClaimTemplates: templates } }));
    expect(items({ kind: "StatefulSetList", metadata, items: sets })).toEqual(sets);
  });

  test("is not cut inside a text that looks like a separator", () => {
    const odd = [
      { metadata: { name: "a", annotations: { note: '},{"metadata":{"name":"b"}}]}' } } },
      { metadata: { name: "c" } },
    ];
    expect(items({ kind: "PodList", metadata, items: odd })).toEqual(odd);
  });

  test("whose items are null is empty; what is no list is none", () => {
    expect(items({ kind: "PodList", metadata: { resourceVersion: "1" }, items: null })).toEqual([]);
    expect(items({ kind: "Status", code: 500 })).toBeUndefined();
    expect(readListText("<html>")).toBeUndefined();
  });
});
