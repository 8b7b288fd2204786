import { describe, expect, test } from "vitest";
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import type { ClusterView } from "#core/snapshot.ts";
import {
  hostKey,
  near,
  podsBy,
  podsOnNodes,
  term,
  unplacedPods,
  web,
  zoneKey,
} from "../../../../test/support/pod-rules.ts";
import {
  boundPod,
  node,
  nodePool,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const plan = (cluster: Partial<ClusterView>): Plan =>
  planProvisioning(snapshotOf({ nodePools: [nodePool("default")], ...cluster }), testProvider);
const pod = (name: string, app: string, spec: Partial<PodSpec> = {}, cpu = "1"): Pod =>
  pendingPod(name, { cpu }, spec, { labels: { app } });
const zoned = (name: string, zone: string, cpu = "4") =>
  node(name, { cpu, memory: "16Gi", pods: "20" }, { labels: { [zoneKey]: zone } });
const messageOf = (result: Plan): string | undefined => result.unschedulable[0]?.message;

describe("pod affinity", () => {
  test("goes to the zone of a pod that runs", () => {
    const nodes = [zoned("n-b", "zone-b", "1")];
    const pods = [
      boundPod("db", "n-b", { cpu: "1" }, {}, { labels: { app: "db" } }),
      pod("p", "web", near(term(zoneKey, "db"))),
    ];
    expect(podsBy(plan({ pods, nodes }), zoneKey)).toEqual({ "zone-b": 1 });
  });

  test("to a host goes to that host or nowhere", () => {
    const nodes = [zoned("n-a", "zone-a"), zoned("n-b", "zone-b")];
    const db = boundPod("db", "n-b", { cpu: "1" }, {}, { labels: { app: "db" } });
    const pods = Array.from({ length: 4 }, (_, i) => pod(`p-${i}`, "web", near(term(hostKey, "db"))));
    const result = plan({ pods: [db, ...pods], nodes });
    expect(podsOnNodes(result)).toEqual({ "n-b": ["p-0", "p-1", "p-2"] });
    expect(messageOf(result)).toContain("so it can run only where they do");
  });

  test("starts anew for a pod that means itself, and the first one fixes the zone (slip 6)", () => {
    const pods = Array.from({ length: 70 }, (_, i) => pod(`p-${i}`, "web", near(term(zoneKey))));
    const result = plan({ pods });
    expect(result.claims.length).toBeGreaterThan(1);
    expect(Object.keys(podsBy(result, zoneKey))).toHaveLength(1);
    expect(podsBy(result, zoneKey)).not.toHaveProperty("open");
  });

  test("does not start anew when such a pod runs where the class cannot go (slip 8)", () => {
    const nodes = [zoned("n-a", "zone-a", "1")];
    const running = boundPod("r", "n-a", { cpu: "1" }, {}, web);
    const spec = { ...near(term(zoneKey)), nodeSelector: { [zoneKey]: "zone-b" } };
    const result = plan({ pods: [running, pod("p", "web", spec)], nodes });
    expect(unplacedPods(result)).toEqual(["p"]);
    expect(messageOf(result)).toContain("wants pods with app=web (there are 1), which leaves zone-a");
  });

  test("follows a pod of the same batch, whichever of them is bigger", () => {
    const leader = pod("leader", "db", { nodeSelector: { [zoneKey]: "zone-c" } }, "500m");
    const result = plan({ pods: [leader, pod("big", "web", near(term(zoneKey, "db")), "4")] });
    expect(podsBy(result, zoneKey)).toEqual({ "zone-c": 2 });
  });

  test("follows a pod whose zone was open until then (slip 11)", () => {
    const result = plan({ pods: [pod("leader", "db", {}, "2"), pod("p", "web", near(term(zoneKey, "db")))] });
    expect(unplacedPods(result)).toEqual([]);
    expect(Object.keys(podsBy(result, zoneKey))).not.toContain("open");
  });

  test("settles the leader where the follower can be (slip 11)", () => {
    const follower = { ...near(term(zoneKey, "db")), nodeSelector: { [zoneKey]: "zone-c" } };
    const result = plan({ pods: [pod("leader", "db", {}, "2"), pod("p", "web", follower)] });
    expect(podsBy(result, zoneKey)).toEqual({ "zone-c": 2 });
  });

  test("of two terms wants one pod that meets both", () => {
    const nodes = [zoned("n-a", "zone-a", "200m"), zoned("n-b", "zone-b", "200m")];
    const running = (name: string, on: string, labels: Readonly<Record<string, string>>): Pod =>
      boundPod(name, on, { cpu: "100m" }, {}, { labels });
    const both = near(term(zoneKey, "db"), { topologyKey: zoneKey, labelSelector: { matchLabels: { tier: "x" } } });
    const apartPods = [running("r1", "n-a", { app: "db" }), running("r2", "n-a", { tier: "x" })];
    expect(unplacedPods(plan({ pods: [...apartPods, pod("p", "web", both)], nodes }))).toEqual(["p"]);
    const together = running("r3", "n-b", { app: "db", tier: "x" });
    expect(podsBy(plan({ pods: [...apartPods, together, pod("p", "web", both)], nodes }), zoneKey)).toEqual({
      "zone-b": 1,
    });
  });

  test("to nobody leaves the pod without a place, in words", () => {
    const result = plan({ pods: [pod("p", "web", near(term(zoneKey, "db")))] });
    expect(messageOf(result)).toContain(
      "its pod affinity over topology.kubernetes.io/zone wants pods with app=db (there are none), which leaves nothing",
    );
  });
});

describe("namespaces of a term", () => {
  const db = {
    ...boundPod("db", "n-b", { cpu: "100m" }),
    metadata: { name: "db", namespace: "data", labels: { app: "db" } },
  };
  const namespaces = [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "data", labels: { kind: "shared" } } }];
  const cluster = (more: Parameters<typeof term>[2]) => ({
    nodes: [zoned("n-b", "zone-b", "100m")],
    namespaces,
    pods: [db, pod("p", "web", near(term(zoneKey, "db", more)))],
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
    expect(unplacedPods(plan(cluster(more)))).toEqual(found ? [] : ["p"]);
  });

  test("matchLabelKeys and mismatchLabelKeys narrow the pods that are meant", () => {
    const nodes = [zoned("n-a", "zone-a", "100m"), zoned("n-b", "zone-b", "100m")];
    const running = (on: string, revision: string): Pod =>
      boundPod(`r-${revision}`, on, { cpu: "100m" }, {}, { labels: { app: "db", revision } });
    const asking = (more: Parameters<typeof term>[2]): Pod =>
      pendingPod("p", { cpu: "1" }, near(term(zoneKey, "db", more)), { labels: { app: "web", revision: "2" } });
    const zones = (more: Parameters<typeof term>[2]) =>
      podsBy(plan({ pods: [running("n-a", "1"), running("n-b", "2"), asking(more)], nodes }), zoneKey);
    expect(zones({ matchLabelKeys: ["revision"] })).toEqual({ "zone-b": 1 });
    expect(zones({ mismatchLabelKeys: ["revision"] })).toEqual({ "zone-a": 1 });
  });
});
