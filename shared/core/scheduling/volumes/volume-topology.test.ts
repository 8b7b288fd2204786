import { describe, expect, test } from "vitest";
import type { PersistentVolume, StorageClass } from "#api/core-v1/cluster-objects.ts";
import { allowedZones, onlyIn, storageClass, volume } from "../../../../test/support/volume-objects.ts";
import { describeRequirement } from "../requirements/requirement-text.ts";
import { requirementsOf } from "../requirements/requirements.ts";
import { type Alternatives, anywhere, placesOfClass, placesOfVolume, together } from "./volume-topology.ts";

const words = (places: Alternatives): readonly string[] =>
  places.map((place) => [...place.values()].map((one) => describeRequirement(one)).join(" and ") || "anywhere");
const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";
const local = { local: { path: "/disk" } };
const isStaying = (name: string): boolean => name === "here";

const volumes: readonly (readonly [string, PersistentVolume, readonly string[]])[] = [
  ["without node affinity anywhere", volume("v"), ["anywhere"]],
  ["in its zone", volume("v", onlyIn(zone, ["a"])), [`${zone} in [a]`]],
  ["in each of OR-ed terms", volume("v", onlyIn(zone, ["b"], ["a"])), [`${zone} in [b]`, `${zone} in [a]`]],
  ["by the driver's own zone label", volume("v", onlyIn("topology.ebs.csi.aws.com/zone", ["a"])), [`${zone} in [a]`]],
  [
    "by older zone labels of its own, several joined by underscores",
    { ...volume("v"), metadata: { name: "v", labels: { "failure-domain.beta.kubernetes.io/zone": "a__b", x: "y" } } },
    [`${zone} in [a, b]`],
  ],
  [
    "on the disk of a node that stays on that node",
    volume("v", { ...local, ...onlyIn(hostname, ["here"]) }),
    [`${hostname} in [here]`],
  ],
  [
    "on the disk of a node that is gone anywhere",
    volume("v", { ...local, ...onlyIn(hostname, ["gone"]) }),
    ["anywhere"],
  ],
  [
    "on a path of a node that is gone anywhere",
    volume("v", { hostPath: { path: "/x" }, ...onlyIn(hostname, ["gone"]) }),
    ["anywhere"],
  ],
  ["of a driver that names a node on that node", volume("v", onlyIn(hostname, ["gone"])), [`${hostname} in [gone]`]],
  [
    "with a term without expressions nowhere",
    volume("v", { nodeAffinity: { required: { nodeSelectorTerms: [{}] } } }),
    [],
  ],
];

test.each(volumes)("a bound volume can be used %s", (_, bound, places) => {
  expect(words(placesOfVolume(bound, isStaying))).toEqual(places);
});

const classes: readonly (readonly [string, StorageClass, readonly string[]])[] = [
  ["without topology anywhere", storageClass("c"), ["anywhere"]],
  ["in the zones of one term", storageClass("c", allowedZones(["a", "b"])), [`${zone} in [a, b]`]],
  ["in each of OR-ed terms", storageClass("c", allowedZones(["b"], ["a"])), [`${zone} in [b]`, `${zone} in [a]`]],
];

test.each(classes)("a class makes its volumes %s", (_, one, places) => {
  expect(words(placesOfClass(one))).toEqual(places);
});

describe("several volumes", () => {
  const inZones = (...zones: readonly string[]): Alternatives =>
    zones.map((one) => requirementsOf([{ key: zone, operator: "In", values: [one] }]));

  test("are together where each of them can be, once each, in an order of their own", () => {
    expect(words(together(inZones("c", "a", "b"), inZones("b", "c", "c")))).toEqual([
      `${zone} in [b]`,
      `${zone} in [c]`,
    ]);
  });

  test("that exclude each other are nowhere", () => {
    expect(together(inZones("a"), inZones("b"))).toEqual([]);
  });

  test("with one that can be anywhere are where the others are", () => {
    expect(words(together(inZones("a"), anywhere))).toEqual([`${zone} in [a]`]);
    expect(words(together(anywhere, inZones("a")))).toEqual([`${zone} in [a]`]);
  });
});
