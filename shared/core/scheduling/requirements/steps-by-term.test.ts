/** OR-ed required terms of node affinity: what holding on to one of them means, and that their order means nothing. */
import { describe, expect, test } from "vitest";
import type { NodeSelectorRequirement, Pod, PodSpec } from "#api/core-v1/pod.ts";
import {
  capacityTypeKey,
  podsBy,
  podsOnNodes,
  spread,
  spreading,
  web,
  zoneKey,
} from "../../../../test/support/pod-rules.ts";
import { node, nodePool, pendingPod, snapshotOf, testProvider } from "../../../../test/support/scheduling-objects.ts";
import { planProvisioning } from "../../provisioning/plan.ts";
import { ordersOf } from "./steps-by-term.ts";

type Term = readonly NodeSelectorRequirement[];
const onDemand: NodeSelectorRequirement = { key: capacityTypeKey, operator: "In", values: ["on-demand"] };
const inZone: Term = [{ key: zoneKey, operator: "In", values: ["zone-b"] }];
const elsewhere: Term = [onDemand, { key: zoneKey, operator: "In", values: ["zone-a", "zone-c"] }];
const anywhere: Term = [onDemand];

function spreadPods(terms: readonly Term[]): Pod[] {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  const spec: Partial<PodSpec> = { ...spreading(spread(zoneKey)), affinity: { nodeAffinity } };
  return ["one", "two"].map((name) => pendingPod(name, { cpu: "1" }, spec, web));
}

describe("a spread of pods with OR-ed terms", () => {
  const nodes = [node("old", { cpu: "8", memory: "16Gi", pods: "20" }, { labels: { [zoneKey]: "zone-b" } })];
  const nodePools = [nodePool("default")];
  const plan = (terms: readonly Term[]) =>
    planProvisioning(snapshotOf({ pods: spreadPods(terms), nodes, nodePools }), testProvider);

  test.each([
    ["first", [inZone, elsewhere]],
    ["last", [elsewhere, inZone]],
  ])("that hold on to one needs no node for another; that term written %s", (_, terms) => {
    const made = plan(terms);
    expect(podsOnNodes(made)).toEqual({ old: ["one", "two"] });
    expect(made.claims).toEqual([]);
  });

  test("reckons with the zones of a term that may be met together with it", () => {
    expect(podsOnNodes(plan([inZone, anywhere]))).toEqual({ old: ["one"] });
    expect(Object.values(podsBy(plan([inZone, anywhere]), zoneKey))).toEqual([1]);
  });
});

describe("the orders in which terms are given up", () => {
  test.each([
    [1, 1],
    [2, 2],
    [3, 6],
    [4, 8],
    [9, 18],
  ])("of %d terms are %d", (count, orders) => {
    const all = ordersOf(count);
    expect(new Set(all.map((order) => order.join()))).toHaveProperty("size", orders);
    for (const order of all) expect([...order].sort()).toEqual(Array.from({ length: count }, (_, i) => i));
  });

  test("each term is the last of one", () => {
    for (const count of [2, 3, 5]) expect(new Set(ordersOf(count).map((order) => order.at(-1))).size).toBe(count);
  });
});
