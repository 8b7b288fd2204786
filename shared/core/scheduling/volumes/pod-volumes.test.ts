import { describe, expect, test } from "vitest";
import type { PersistentVolumeClaim } from "#api/core-v1/cluster-objects.ts";
import type { PodSpec } from "#api/core-v1/pod.ts";
import { pendingPod } from "../../../../test/support/scheduling-objects.ts";
import {
  boundClaim,
  driver,
  onlyIn,
  openClaim,
  storageClass,
  using,
  volume,
} from "../../../../test/support/volume-objects.ts";
import { VolumeIndex } from "./pod-volumes.ts";

const now = "2026-01-01T00:00:00Z";
const deleting = { deletionTimestamp: now };
const lists = {
  storageClasses: [
    storageClass("waiting"),
    storageClass("immediate", { volumeBindingMode: "Immediate" }),
    storageClass("in-tree", { provisioner: "kubernetes.io/aws-ebs" }),
  ],
  persistentVolumes: [
    volume("pv"),
    { ...volume("pv-going"), metadata: { name: "pv-going", ...deleting } },
    volume("pv-a", onlyIn("topology.kubernetes.io/zone", ["a"])),
    volume("pv-b", onlyIn("topology.kubernetes.io/zone", ["b"])),
    volume("pv-nowhere", { nodeAffinity: { required: { nodeSelectorTerms: [] } } }),
    { ...volume("pv-ebs"), spec: { awsElasticBlockStore: { volumeID: "vol-1" } } },
    { ...volume("pv-nfs"), spec: {} },
  ],
  persistentVolumeClaims: [
    openClaim("waiting", "waiting"),
    openClaim("immediate", "immediate"),
    openClaim("in-tree", "in-tree"),
    openClaim("no-such-class", "nowhere"),
    openClaim("classless", undefined),
    openClaim("empty-class", ""),
    { ...boundClaim("going", "pv"), metadata: { ...boundClaim("going", "pv").metadata, ...deleting } },
    { ...boundClaim("lost", "pv-gone"), status: { phase: "Lost" } } satisfies PersistentVolumeClaim,
    boundClaim("no-such-volume", "pv-gone"),
    boundClaim("volume-going", "pv-going"),
    { ...boundClaim("binding", "pv"), metadata: { name: "binding", namespace: "default" } },
    boundClaim("bound", "pv"),
    boundClaim("a", "pv-a"),
    boundClaim("b", "pv-b"),
    boundClaim("nowhere", "pv-nowhere"),
    boundClaim("ebs", "pv-ebs"),
    boundClaim("nfs", "pv-nfs"),
    openClaim("p-scratch", "waiting"),
  ],
};
const index = new VolumeIndex(lists, () => false);
const answer = (spec: Partial<PodSpec>, from = index) => from.of(pendingPod("p", {}, spec));
const scratch = { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: { storageClassName: "waiting" } } } };

describe("a pod waits, in words, while its claim", () => {
  test.each([
    ["missing", /PersistentVolumeClaim default\/missing does not exist/],
    ["going", /default\/going is being deleted/],
    ["lost", /default\/lost is Lost: its PersistentVolume pv-gone is gone/],
    ["no-such-volume", /names PersistentVolume pv-gone, which does not exist/],
    ["volume-going", /names PersistentVolume pv-going, which is being deleted/],
    ["binding", /names PersistentVolume pv and is not bound to it yet/],
    ["no-such-class", /names StorageClass nowhere, which does not exist/],
    ["classless", /is not bound and has no StorageClass/],
    ["empty-class", /is not bound and has no StorageClass/],
    ["immediate", /has no volume yet, and StorageClass immediate .* before any pod is placed/],
    ["nowhere", /PersistentVolume of its claim default\/nowhere allows no node/],
  ])("is %s", (claim, message) => {
    expect(answer(using(claim))).toEqual({ kind: "refused", message: expect.stringMatching(message) });
  });
});

test("volumes in two zones exclude each other, and the pod is told", () => {
  expect(answer(using("a", "b"))).toEqual({
    kind: "refused",
    message:
      "its volumes exclude each other: no node is where PersistentVolumeClaim default/b and the ones before it are",
  });
});

describe("what is attached", () => {
  test.each<readonly [string, Partial<PodSpec>, readonly string[]]>([
    ["a bound CSI volume", using("bound"), [`${driver} default/bound`]],
    ["a claim that waits for the pod", using("waiting"), [`${driver} default/waiting`]],
    ["a volume of a plugin that became a driver", using("ebs"), ["ebs.csi.aws.com default/ebs"]],
    ["a class of a plugin that became a driver", using("in-tree"), ["ebs.csi.aws.com default/in-tree"]],
    ["nothing for a volume without driver", using("nfs"), []],
    ["one claim once", using("bound", "bound"), [`${driver} default/bound`]],
    ["the claim of an ephemeral volume", { volumes: [scratch] }, [`${driver} default/p-scratch`]],
    ["a volume that stands in the pod", { volumes: [{ name: "x", csi: { driver } }] }, [`${driver} default/p/x`]],
  ])("%s", (_, spec, expected) => {
    const found = answer(spec);
    const attachments = found.kind === "known" ? found.attachments : [];
    expect(attachments.map((one) => `${one.driver} ${one.volume}`)).toEqual(expected);
  });
});

test("a claim without class gets the newest default class, as Kubernetes gives it", () => {
  const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
  const byAge = (name: string, creationTimestamp: string, provisioner: string) =>
    storageClass(name, { metadata: { name, annotations, creationTimestamp }, provisioner });
  const storageClasses = [byAge("old", "2025-01-01T00:00:00Z", "old.csi"), byAge("new", now, "new.csi")];
  const found = answer(using("classless"), new VolumeIndex({ ...lists, storageClasses }, () => false));
  expect(found).toMatchObject({ kind: "known", attachments: [{ driver: "new.csi", volume: "default/classless" }] });
});
