import { describe, expect, test } from "vitest";
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import {
  apart,
  capacityTypeKey,
  hostKey,
  messageOf,
  near,
  nodeIn,
  planOf,
  podOf,
  podsBy,
  podsOnNodes,
  spread,
  spreading,
  term,
  unplacedPods,
  web,
  zoneKey,
} from "../../../../test/support/pod-rules.ts";
import { boundPod, pendingPod } from "../../../../test/support/scheduling-objects.ts";

describe("pod affinity", () => {
  test("goes to the zone of a pod that runs", () => {
    const nodes = [nodeIn("zone-b", "n-b", "1")];
    const pods = [
      boundPod("db", "n-b", { cpu: "1" }, {}, { labels: { app: "db" } }),
      podOf("p", "web", near(term(zoneKey, "db"))),
    ];
    expect(podsBy(planOf({ pods, nodes }), zoneKey)).toEqual({ "zone-b": 1 });
  });

  test("to a host goes to that host or nowhere", () => {
    const nodes = [nodeIn("zone-a", "n-a"), nodeIn("zone-b", "n-b")];
    const db = boundPod("db", "n-b", { cpu: "1" }, {}, { labels: { app: "db" } });
    const pods = Array.from({ length: 4 }, (_, i) => podOf(`p-${i}`, "web", near(term(hostKey, "db"))));
    const result = planOf({ pods: [db, ...pods], nodes });
    expect(podsOnNodes(result)).toEqual({ "n-b": ["p-0", "p-1", "p-2"] });
    expect(messageOf(result)).toContain("so it can run only where they do");
  });

  test("starts anew for a pod that means itself, and the first one fixes the zone (slip 6)", () => {
    const pods = Array.from({ length: 70 }, (_, i) => podOf(`p-${i}`, "web", near(term(zoneKey))));
    const result = planOf({ pods });
    expect(result.claims.length).toBeGreaterThan(1);
    expect(Object.keys(podsBy(result, zoneKey))).toHaveLength(1);
    expect(podsBy(result, zoneKey)).not.toHaveProperty("open");
  });

  test("does not start anew when such a pod runs where the class cannot go (slip 8)", () => {
    const nodes = [nodeIn("zone-a", "n-a", "1")];
    const running = boundPod("r", "n-a", { cpu: "1" }, {}, web);
    const spec = { ...near(term(zoneKey)), nodeSelector: { [zoneKey]: "zone-b" } };
    const result = planOf({ pods: [running, podOf("p", "web", spec)], nodes });
    expect(unplacedPods(result)).toEqual(["p"]);
    expect(messageOf(result)).toContain("wants pods with app=web (there are 1), which leaves zone-a");
  });

  test("follows a pod of the same batch, whichever of them is bigger", () => {
    const leader = podOf("leader", "db", { nodeSelector: { [zoneKey]: "zone-c" } }, "500m");
    const result = planOf({ pods: [leader, podOf("big", "web", near(term(zoneKey, "db")), "4")] });
    expect(podsBy(result, zoneKey)).toEqual({ "zone-c": 2 });
  });

  test("follows a pod whose zone was open until then (slip 11)", () => {
    const result = planOf({ pods: [podOf("leader", "db", {}, "2"), podOf("p", "web", near(term(zoneKey, "db")))] });
    expect(unplacedPods(result)).toEqual([]);
    expect(Object.keys(podsBy(result, zoneKey))).not.toContain("open");
  });

  test("settles the leader where the follower can be (slip 11)", () => {
    const follower = { ...near(term(zoneKey, "db")), nodeSelector: { [zoneKey]: "zone-c" } };
    const result = planOf({ pods: [podOf("leader", "db", {}, "2"), podOf("p", "web", follower)] });
    expect(podsBy(result, zoneKey)).toEqual({ "zone-c": 2 });
  });

  test("of two terms wants one pod that meets both", () => {
    const nodes = [nodeIn("zone-a", "n-a", "200m"), nodeIn("zone-b", "n-b", "200m")];
    const running = (name: string, on: string, labels: Readonly<Record<string, string>>): Pod =>
      boundPod(name, on, { cpu: "100m" }, {}, { labels });
    const both = near(term(zoneKey, "db"), { topologyKey: zoneKey, labelSelector: { matchLabels: { tier: "x" } } });
    const apartPods = [running("r1", "n-a", { app: "db" }), running("r2", "n-a", { tier: "x" })];
    expect(unplacedPods(planOf({ pods: [...apartPods, podOf("p", "web", both)], nodes }))).toEqual(["p"]);
    const together = running("r3", "n-b", { app: "db", tier: "x" });
    expect(podsBy(planOf({ pods: [...apartPods, together, podOf("p", "web", both)], nodes }), zoneKey)).toEqual({
      "zone-b": 1,
    });
  });

  test("to nobody leaves the pod without a place, in words", () => {
    const result = planOf({ pods: [podOf("p", "web", near(term(zoneKey, "db")))] });
    expect(messageOf(result)).toContain(
      "its pod affinity over topology.kubernetes.io/zone wants pods with app=db (there are none), which leaves nothing",
    );
  });
});

describe("pod affinity beside a topology spread", () => {
  test.each<[string, Partial<PodSpec>]>([
    ["a leader whose zone is known", { nodeSelector: { [zoneKey]: "zone-a" } }],
    ["a leader whose zone is open too", {}],
  ])("counts for its spread, in each capacity type that it may come to have, %s", (_, spec) => {
    const labels = { app: "web", role: "leader" };
    const leader = pendingPod("leader", { cpu: "2" }, spec, { labels });
    const toLeader = term(zoneKey, "web", { labelSelector: { matchLabels: { role: "leader" } } });
    const follower = {
      affinity: { ...near(toLeader).affinity, ...apart(term(hostKey)).affinity },
      ...spreading(spread(capacityTypeKey)),
    };
    const result = planOf({ pods: [leader, ...["p", "q", "r"].map((name) => podOf(name, "web", follower))] });
    expect(unplacedPods(result)).toEqual([]);
    expect(podsBy(result, capacityTypeKey)).toEqual({ "on-demand": 2, spot: 2 });
  });
});

describe("namespaces of a term", () => {
  const db = {
    ...boundPod("db", "n-b", { cpu: "100m" }),
    metadata: { name: "db", namespace: "data", labels: { app: "db" } },
  };
  const namespaces = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "data", labels: { kind: "shared" } } }];
  const cluster = (more: Parameters<typeof term>[2]) => ({
    nodes: [nodeIn("zone-b", "n-b", "100m")],
    namespaces,
    pods: [db, podOf("p", "web", near(term(zoneKey, "db", more)))],
  });

  test.each<[string, Parameters<typeof term>[2], boolean]>([
    ["the pod's own, when nothing is said", {}, false],
    ["those that are named", { namespaces: ["data"] }, true],
    ["those that the selector means", { namespaceSelector: { matchLabels: { kind: "shared" } } }, true],
    ["those alone", { namespaceSelector: { matchLabels: { kind: "other" } } }, false],
    ["named ones beside them", { namespaces: ["data"], namespaceSelector: { matchLabels: { kind: "other" } } }, true],
    ["all, for an empty selector", { namespaceSelector: {} }, true],
    [
      "found by Kubernetes' own label",
      { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "data" } } },
      true,
    ],
  ])("%s", (_, more, found) => {
    expect(unplacedPods(planOf(cluster(more)))).toEqual(found ? [] : ["p"]);
  });

  test("matchLabelKeys and mismatchLabelKeys narrow the pods that are meant", () => {
    const nodes = [nodeIn("zone-a", "n-a", "100m"), nodeIn("zone-b", "n-b", "100m")];
    const running = (on: string, revision: string): Pod =>
      boundPod(`r-${revision}`, on, { cpu: "100m" }, {}, { labels: { app: "db", revision } });
    const asking = (more: Parameters<typeof term>[2]): Pod =>
      pendingPod("p", { cpu: "1" }, near(term(zoneKey, "db", more)), { labels: { app: "web", revision: "2" } });
    const zones = (more: Parameters<typeof term>[2]) =>
      podsBy(planOf({ pods: [running("n-a", "1"), running("n-b", "2"), asking(more)], nodes }), zoneKey);
    expect(zones({ matchLabelKeys: ["revision"] })).toEqual({ "zone-b": 1 });
    expect(zones({ mismatchLabelKeys: ["revision"] })).toEqual({ "zone-a": 1 });
  });
});
