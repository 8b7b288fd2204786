import { describe, expect, test } from "vitest";
import type { EC2NodeClass } from "#api/ec2-v1/ec2nodeclass.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { stateAfter } from "#core/state/state-patch.ts";
import { markUnavailable } from "#core/state/unavailable-offerings.ts";
import { catalogue, nodeClassOf, nowMs, resolvedClass, snapshotOf } from "../../../test/support/ec2-world.ts";
import { instanceTypesOf } from "./instance-types.ts";
import { learnedKey, learnedText } from "./learned-capacity.ts";

function typesOf(nodeClass: EC2NodeClass, state: ClusterView["state"] = {}): readonly InstanceType[] {
  const answer = instanceTypesOf(snapshotOf({ nodeClasses: [nodeClass], state }), nodeClass);
  if (answer.kind === "unknown") throw new Error(answer.message);
  return answer.instanceTypes;
}

function available(types: readonly InstanceType[], name: string): readonly string[] {
  const offerings = types.find((type) => type.name === name)?.offerings ?? [];
  return offerings.filter((offering) => offering.available).map(({ capacityType, zone }) => `${capacityType} ${zone}`);
}

const ready = resolvedClass();

describe("instance types of a class", () => {
  test("all of the region are listed, with an offering per zone and capacity type", () => {
    const types = typesOf(ready);
    expect(types.map(({ name }) => name)).toEqual(catalogue.types.map(({ name }) => name));
    expect(types.find(({ name }) => name === "m5.large")?.offerings).toHaveLength(6);
  });

  test("an offering is available where the class has a subnet", () => {
    expect(available(typesOf(ready), "m5.large")).toEqual([
      "on-demand us-east-1a",
      "spot us-east-1a",
      "on-demand us-east-1b",
      "spot us-east-1b",
    ]);
  });

  test("an offering that EC2 refused is unavailable, and available again when its time is over", () => {
    const refused = { instanceType: "m5.large", zone: "us-east-1a", capacityType: "spot" };
    const unavailable = stateAfter({}, markUnavailable({}, [refused], nowMs));
    expect(available(typesOf(ready, unavailable), "m5.large")).not.toContain("spot us-east-1a");
    const over = stateAfter({}, markUnavailable({}, [refused], nowMs - 3 * 60_000));
    expect(available(typesOf(ready, over), "m5.large")).toContain("spot us-east-1a");
  });

  test("an offering without a price is not available", () => {
    const unpriced = catalogue.types.map(({ onDemandPerHour: _, ...type }) => ({
      ...type,
      spotPerHour: { "us-east-1b": 1 },
    }));
    const answer = instanceTypesOf(
      snapshotOf({ nodeClasses: [ready] }, { catalogue: { ...catalogue, types: unpriced } }),
      ready,
    );
    expect(answer.kind === "known" && available(answer.instanceTypes, "m5.large")).toEqual(["spot us-east-1b"]);
  });

  test("a type that no image of the class boots offers nothing", () => {
    const amis = ready.status?.amis?.filter(({ name }) => !name?.includes("arm64")) ?? [];
    const types = typesOf({ ...ready, status: { ...ready.status, amis } });
    expect(available(types, "m7g.large")).toEqual([]);
    expect(available(types, "m5.large")).not.toEqual([]);
  });

  test("first-generation Graviton does not boot AL2023, and a tracked connection needs nitro", () => {
    expect(available(typesOf(ready), "a1.large")).toEqual([]);
    const tracked = resolvedClass({ connectionTracking: { udpTimeout: 30 } });
    expect(available(typesOf(tracked), "m4.large")).toEqual([]);
    expect(available(typesOf(tracked), "m5.metal")).toEqual([]);
    expect(available(typesOf(tracked), "m5.large")).not.toEqual([]);
  });

  test("the same world gives the same array, so that what is made of it can be remembered too", () => {
    expect(typesOf(ready)).toBe(typesOf({ ...ready, metadata: { ...ready.metadata, resourceVersion: "9" } }));
    expect(typesOf(resolvedClass({ kubelet: { maxPods: 50 } }))).not.toBe(typesOf(ready));
  });

  test("lists share the types that do not differ between them: a refusal or a lesson remakes its own type alone", () => {
    const remade = (state: Readonly<Record<string, string>>): readonly string[] => {
      const before = new Set(typesOf(ready));
      return typesOf(ready, state).flatMap((one) => (before.has(one) ? [] : one.name));
    };
    const refused = { instanceType: "m5.large", zone: "us-east-1a", capacityType: "spot" };
    expect(remade(stateAfter({}, markUnavailable({}, [refused], nowMs)))).toEqual(["m5.large"]);
    const learned = { [learnedKey("c5.xlarge", ready)]: learnedText({ memoryBytes: 7e9, storageBytes: 1e9 }, nowMs) };
    expect(remade(learned)).toEqual(["c5.xlarge"]);
    const taught = typesOf(ready, learned).find(({ name }) => name === "c5.xlarge");
    expect(taught?.capacity.memory).toBe(7e9);
  });

  test("without catalogue or subnets nothing can be named", () => {
    const fresh = nodeClassOf();
    const answer = instanceTypesOf(snapshotOf({ nodeClasses: [fresh] }), fresh);
    expect(answer).toEqual({ kind: "unknown", message: "EC2NodeClass default has no subnets yet" });
    const { catalogue: _, ...view } = snapshotOf({ nodeClasses: [ready] }).cloud.view;
    const bare = { ...snapshotOf({ nodeClasses: [ready] }), cloud: { instances: [], incomplete: [], view } };
    expect(instanceTypesOf(bare, ready).kind).toBe("unknown");
  });
});
