import { describe, expect, test } from "vitest";
import { instanceType } from "../../../../test/support/scheduling-objects.ts";
import { RequirementSets } from "../requirements/requirement-set.ts";
import { requirementsOf } from "../requirements/requirements.ts";
import { Dimensions } from "../resources/resource-vector.ts";
import { InstanceTypeIndex } from "./instance-type-index.ts";
import { cheapestFirst } from "./price-order.ts";

const sets = new RequirementSets(["topology.kubernetes.io/zone", "family"]);
const at = (zone: string, pricePerHour: number, available = true) => ({
  zone,
  capacityType: "spot",
  pricePerHour,
  available,
});
const type = (name: string, family: string, ...offerings: ReturnType<typeof at>[]) =>
  instanceType(name, 2, { offerings }, [{ key: "family", operator: "In", values: [family] }]);

describe("the order of types", () => {
  const index = new InstanceTypeIndex(
    [
      type("b", "x", at("zone-a", 2)),
      type("a", "x", at("zone-a", 2)),
      type("cheap-elsewhere", "x", at("zone-a", 3), at("zone-b", 1)),
      type("gone", "x", at("zone-a", 0.1, false)),
    ],
    new Dimensions([]),
  );
  const names = (...specs: Parameters<typeof requirementsOf>[0]): readonly (string | undefined)[] => {
    const set = sets.intern(requirementsOf(specs));
    return cheapestFirst(index.launchable(set), set, index).map((number) => index.types[number]?.name);
  };

  test("is by price, then by name; what cannot be had is left out", () => {
    expect(names()).toEqual(["cheap-elsewhere", "a", "b"]);
  });

  test("counts offerings that the requirements allow only", () => {
    expect(names({ key: "topology.kubernetes.io/zone", operator: "In", values: ["zone-a"] })).toEqual([
      "a",
      "b",
      "cheap-elsewhere",
    ]);
  });
});

describe("a list that is too long", () => {
  const cheap = [1, 2, 3, 4].map((n) => type(`cheap-${n}`, "x", at("zone-a", n)));
  const index = new InstanceTypeIndex([...cheap, type("dear", "y", at("zone-a", 9))], new Dimensions([]));
  const first = (limit: number, ...specs: Parameters<typeof requirementsOf>[0]) => {
    const set = sets.intern(requirementsOf(specs));
    return cheapestFirst(index.all, set, index, limit).map((number) => index.types[number]?.name);
  };

  test("keeps the cheapest", () => {
    expect(first(3)).toEqual(["cheap-1", "cheap-2", "cheap-3"]);
  });

  test("keeps a dearer type that minValues need", () => {
    expect(first(3, { key: "family", operator: "Exists", minValues: 2 })).toEqual(["cheap-1", "cheap-2", "dear"]);
  });
});

test("of offerings at one price the one comes first that a launch would take", () => {
  const offerings = ["on-demand", "spot", "reserved"].map((capacityType) => ({ ...at("zone-a", 2), capacityType }));
  const index = new InstanceTypeIndex([instanceType("a", 2, { offerings })], new Dimensions([]));
  const ordered = index.availableOfferings(0, sets.intern(requirementsOf([])));
  expect(ordered.map(({ capacityType }) => capacityType)).toEqual(["reserved", "spot", "on-demand"]);
});
