import { describe, expect, test } from "vitest";
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import type { ClusterView } from "#core/snapshot.ts";
import {
  apart,
  hostKey,
  podsBy,
  podsOfClaims,
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
const many = (count: number, app: string, spec: Partial<PodSpec>): Pod[] =>
  Array.from({ length: count }, (_, i) => pod(`${app}-${i}`, app, spec));
const zoned = (name: string, zone: string, cpu = "4") =>
  node(name, { cpu, memory: "16Gi", pods: "20" }, { labels: { [zoneKey]: zone } });
const messageOf = (result: Plan): string | undefined => result.unschedulable[0]?.message;

describe("pod anti-affinity", () => {
  test("one pod a host", () => {
    expect(podsOfClaims(plan({ pods: many(4, "web", apart(term(hostKey))) })).map(({ length }) => length)).toEqual([
      1, 1, 1, 1,
    ]);
  });

  test("one pod a zone, as many in one batch as there are zones", () => {
    const result = plan({ pods: many(4, "web", apart(term(zoneKey))) });
    expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 1, "zone-b": 1, "zone-c": 1 });
    expect(unplacedPods(result)).toEqual(["web-3"]);
    expect(messageOf(result)).toContain("avoids 3 pods with app=web, which leaves nothing");
  });

  test("alone it leaves the zone open", () => {
    expect(podsBy(plan({ pods: many(1, "web", apart(term(zoneKey))) }), zoneKey)).toEqual({ open: 1 });
  });

  test("keeps away from pods that run, and leaves open which of the other zones", () => {
    const nodes = [zoned("n-a", "zone-a", "100m")];
    const pods = [
      boundPod("r", "n-a", { cpu: "100m" }, {}, { labels: { app: "db" } }),
      pod("p", "web", apart(term(zoneKey, "db"))),
    ];
    const [claim] = plan({ pods, nodes }).claims;
    expect(claim?.nodeClaim.spec.requirements.find(({ key }) => key === zoneKey)?.values).toEqual(["zone-b", "zone-c"]);
  });

  test("others of its own class do not disturb it when it does not mean itself", () => {
    expect(podsOfClaims(plan({ pods: many(3, "web", apart(term(hostKey, "db"))) }))).toHaveLength(1);
  });

  test("a node without the key is in no domain and takes it", () => {
    const nodes = [node("bare", { cpu: "4", pods: "9" })];
    expect(podsOnNodes(plan({ pods: many(1, "web", apart(term(zoneKey))), nodes }))).toEqual({ bare: ["web-0"] });
  });
});

describe("inverse anti-affinity", () => {
  test("a running pod keeps away whom it means", () => {
    const nodes = [zoned("n-a", "zone-a"), zoned("n-b", "zone-b", "100m")];
    const guard = boundPod("guard", "n-a", { cpu: "1" }, apart(term(zoneKey)), { labels: { app: "guard" } });
    const result = plan({ pods: [guard, ...many(1, "web", {})], nodes });
    expect(podsOnNodes(result)).toEqual({});
    expect(result.claims[0]?.nodeClaim.spec.requirements.find(({ key }) => key === zoneKey)?.values).toEqual([
      "zone-b",
      "zone-c",
    ]);
  });

  test("so does one that came in the same batch, on its host", () => {
    const guard = pod("guard", "guard", apart(term(hostKey)), "3");
    expect(podsOfClaims(plan({ pods: [guard, ...many(2, "web", {})] })).map((names) => [...names].sort())).toEqual([
      ["guard"],
      ["web-0", "web-1"],
    ]);
  });

  test("a wish of a running pod keeps nobody away", () => {
    const nodes = [zoned("n-a", "zone-a")];
    const wish = {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term(hostKey) }],
        },
      },
    };
    const guard = boundPod("guard", "n-a", { cpu: "1" }, wish, { labels: { app: "guard" } });
    expect(podsOnNodes(plan({ pods: [guard, ...many(1, "web", {})], nodes }))).toEqual({ "n-a": ["web-0"] });
  });

  test("the pod that is kept away everywhere hears it", () => {
    const nodes = ["a", "b", "c"].map((zone) => zoned(`n-${zone}`, `zone-${zone}`));
    const guards = nodes.map(({ metadata }) =>
      boundPod(`g-${metadata.name}`, metadata.name, { cpu: "1" }, apart(term(zoneKey)), { labels: { app: "guard" } }),
    );
    const message = messageOf(plan({ pods: [...guards, ...many(1, "web", {})], nodes }));
    expect(message).toContain(
      "3 pods keep pods with app=web away over topology.kubernetes.io/zone, which leaves nothing",
    );
  });
});

describe("a claim whose zone is open", () => {
  test("is settled when that makes room for others", () => {
    const alone = pod("alone", "web", apart(term(zoneKey)), "2");
    const others = ["zone-a", "zone-b"].map((zone) =>
      pod(`p-${zone}`, "web", { ...apart(term(zoneKey)), nodeSelector: { [zoneKey]: zone } }),
    );
    const result = plan({ pods: [alone, ...others] });
    expect(unplacedPods(result)).toEqual([]);
    expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 1, "zone-b": 1, "zone-c": 1 });
  });
});

test("pods that leave a node do not count where they were", () => {
  const nodes = [zoned("n-a", "zone-a")].map((one) => ({
    ...one,
    metadata: { ...one.metadata, deletionTimestamp: "2026-01-01T11:59:00Z" },
  }));
  const leaving = boundPod("web-9", "n-a", { cpu: "1" }, apart(term(zoneKey)), web);
  const result = plan({ pods: [leaving, ...many(2, "web", apart(term(zoneKey)))], nodes });
  expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 1, "zone-b": 1, "zone-c": 1 });
});
