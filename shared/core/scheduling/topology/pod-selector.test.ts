import { describe, expect, test } from "vitest";
import { term, zoneKey } from "../../../../test/support/pod-rules.ts";
import { type PodIdentity, PodSelectors } from "./pod-selector.ts";

const selectors = new PodSelectors([
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "a", labels: { x: "1" } } },
]);
const pod = (labels: Readonly<Record<string, string>>, namespace = "a"): PodIdentity => ({ namespace, labels });

describe("a selector of pods", () => {
  test("is one object for all that mean the same", () => {
    const one = selectors.ofTerm({ topologyKey: zoneKey, labelSelector: { matchLabels: { a: "1", b: "2" } } }, pod({}));
    const other = selectors.ofTerm({ topologyKey: "x", labelSelector: { matchLabels: { b: "2", a: "1" } } }, pod({}));
    expect(other).toBe(one);
  });

  test("of all has what each of them has", () => {
    const [a, b] = [term(zoneKey, "a"), { topologyKey: zoneKey, labelSelector: { matchLabels: { tier: "x" } } }];
    const both = selectors.ofAll([selectors.ofTerm(a, pod({})), selectors.ofTerm(b, pod({}))]);
    expect(both.selects(pod({ app: "a", tier: "x" }))).toBe(true);
    expect(both.selects(pod({ app: "a" }))).toBe(false);
    expect(both.keys).toEqual(["app", "tier"]);
  });

  test("that is missing or wrong selects nothing", () => {
    const missing = selectors.ofTerm({ topologyKey: zoneKey }, pod({}));
    const wrong = selectors.ofTerm(
      { topologyKey: zoneKey, labelSelector: { matchExpressions: [{ key: "a", operator: "In", values: [] }] } },
      pod({}),
    );
    expect([missing, wrong].map((one) => one.selects(pod({ a: "1" })))).toEqual([false, false]);
  });

  test("says in words whom it means", () => {
    const words = (more: Parameters<typeof term>[2]) => selectors.ofTerm(term(zoneKey, "db", more), pod({})).words;
    expect(words({})).toBe("app=db");
    expect(words({ namespaces: ["b", "c"] })).toBe("app=db in namespaces b, c");
    expect(words({ namespaceSelector: {} })).toBe("app=db in namespaces of all names");
    expect(words({ namespaceSelector: { matchLabels: { x: "1" } } })).toBe("app=db in namespaces with x=1");
  });
});
