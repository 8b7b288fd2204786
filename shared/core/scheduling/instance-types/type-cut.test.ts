/** The cut to 600 instance types, as a claim shows it. */
import { describe, expect, test } from "vitest";
import {
  instanceType,
  nodePool,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import type { InstanceType } from "../../instance-type.ts";
import { planProvisioning } from "../../provisioning/plan.ts";
import { maxInstanceTypes } from "./price-order.ts";

const instanceTypeKey = "node.kubernetes.io/instance-type";
const familyKey = "example.dev/family";
const priced = (name: string, pricePerHour: number, family: string): InstanceType =>
  instanceType(name, 4, { offerings: [{ zone: "zone-a", capacityType: "on-demand", pricePerHour, available: true }] }, [
    { key: familyKey, operator: "In", values: [family] },
  ]);
/** 700 of them, dearer by number, two of a price; named so that the order of names is another. */
const many = Array.from({ length: 700 }, (_, i) => priced(`t-${(i * 37) % 700}`, 1 + Math.floor(i / 2), "common"));
const claimOf = (types: readonly InstanceType[], minValues?: { readonly key: string; readonly count: number }) => {
  const requirements =
    minValues === undefined ? [] : [{ key: minValues.key, operator: "Exists" as const, minValues: minValues.count }];
  const nodePools = [nodePool("default", { requirements })];
  const { claims, unschedulable } = planProvisioning(
    snapshotOf({ nodePools, pods: [pendingPod("p", { cpu: "1" })] }, types),
    testProvider,
  );
  expect(unschedulable).toEqual([]);
  const [claim] = claims;
  if (claim === undefined) throw new Error("no claim");
  const { requirements: asked } = claim.nodeClaim.spec;
  return { types: claim.planned.instanceTypes, asked: asked.find(({ key }) => key === instanceTypeKey)?.values ?? [] };
};
const byPriceThenName = (types: readonly InstanceType[]): readonly string[] =>
  [...types]
    .map(({ name, offerings }) => ({ name, price: offerings[0]?.pricePerHour ?? 0 }))
    .sort((a, b) => a.price - b.price || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);

describe("a claim that 700 types would do for", () => {
  test("names the 600 cheapest, by price and then by name, and asks for them in that order", () => {
    const { types, asked } = claimOf(many);
    expect(types).toEqual(byPriceThenName(many).slice(0, maxInstanceTypes));
    expect(asked).toEqual(types);
  });

  test("is the same whatever the order of the types", () => {
    expect(claimOf([...many].reverse())).toEqual(claimOf(many));
  });

  test("keeps dearer ones that minValues need, in place of the dearest others", () => {
    const rare = [priced("rare-1", 9_000, "rare"), priced("rare-2", 9_001, "odd")];
    const { types } = claimOf([...many, ...rare], { key: familyKey, count: 3 });
    expect(types).toEqual([...byPriceThenName(many).slice(0, maxInstanceTypes - 2), "rare-1", "rare-2"]);
  });

  test("keeps its promise of 600 different types", () => {
    expect(new Set(claimOf(many, { key: instanceTypeKey, count: 600 }).types).size).toBe(600);
  });
});
