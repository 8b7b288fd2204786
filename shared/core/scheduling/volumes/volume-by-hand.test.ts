import { expect, test } from "vitest";
import type { PersistentVolume, PersistentVolumeClaim } from "#api/core-v1/cluster-objects.ts";
import { pendingPod } from "../../../../test/support/scheduling-objects.ts";
import { onlyIn, openClaim, storageClass, using, volume } from "../../../../test/support/volume-objects.ts";
import { describeRequirement } from "../requirements/requirement-text.ts";
import { VolumeIndex } from "./pod-volumes.ts";

const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";
const byHand = storageClass("by-hand", { provisioner: "kubernetes.io/no-provisioner" });
const ofClass = { storageClassName: "by-hand", csi: { driver: "x" }, capacity: { storage: "10Gi" } };

const claim = (spec: Partial<PersistentVolumeClaim["spec"]> = {}): PersistentVolumeClaim => ({
  ...openClaim("data", "by-hand"),
  spec: { storageClassName: "by-hand", resources: { requests: { storage: "5Gi" } }, ...spec },
});

/** Where a pod with the claim may go; a text when nowhere. */
function places(persistentVolumes: readonly PersistentVolume[], one = claim()): string | readonly string[] {
  const index = new VolumeIndex(
    { persistentVolumes, persistentVolumeClaims: [one], storageClasses: [byHand] },
    (name) => name === "here",
  );
  const answer = index.of(pendingPod("p", {}, using("data")));
  if (answer.kind === "refused") return answer.message;
  return answer.places.map((place) => [...place.values()].map((each) => describeRequirement(each)).join(" and "));
}

test("the pod goes where a free volume is, and only there", () => {
  const a = volume("a", { ...ofClass, ...onlyIn(zone, ["zone-a"]) });
  const c = volume("c", { ...ofClass, ...onlyIn(zone, ["zone-c"]) });
  expect(places([c, a])).toEqual([`${zone} in [zone-a]`, `${zone} in [zone-c]`]);
});

test.each<readonly [string, Partial<PersistentVolume["spec"]>, Partial<PersistentVolumeClaim["spec"]>]>([
  ["of another claim", { claimRef: { name: "other", namespace: "default" } }, {}],
  ["of another class", { storageClassName: "other" }, {}],
  ["too small", { capacity: { storage: "4Gi" } }, {}],
  ["of another mode", { volumeMode: "Block" }, {}],
  ["without the access mode", { accessModes: ["ReadWriteOnce"] }, { accessModes: ["ReadWriteMany"] }],
  ["without the labels", {}, { selector: { matchLabels: { tier: "fast" } } }],
  ["on the disk of a node that is gone", { local: { path: "/d" }, ...onlyIn(hostname, ["gone"]) }, {}],
])("a volume %s is none", (_, spec, asked) => {
  expect(places([volume("v", { ...ofClass, ...spec })], claim(asked))).toMatch(
    /^its PersistentVolumeClaim default\/data waits for a PersistentVolume of StorageClass by-hand, which nobody makes .*: of [01] [01] are free, and none of these serves it \(5Gi/,
  );
});

test("one that is kept for the claim is its own; a local one ties the pod to its node", () => {
  const kept = { ...ofClass, claimRef: { name: "data", namespace: "default" } };
  expect(places([volume("v", { ...kept, local: { path: "/d" }, ...onlyIn(hostname, ["here"]) })])).toEqual([
    `${hostname} in [here]`,
  ]);
});
