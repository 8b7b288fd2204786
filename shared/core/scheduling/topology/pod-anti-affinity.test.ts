import { describe, expect, test } from "vitest";
import type { Pod, PodSpec } from "#api/core-v1/pod.ts";
import {
  apart,
  hostKey,
  messageOf,
  nodeIn,
  planOf,
  podOf,
  podsBy,
  podsOfClaims,
  podsOnNodes,
  term,
  unplacedPods,
  web,
  zoneKey,
} from "../../../../test/support/pod-rules.ts";
import { boundPod, node } from "../../../../test/support/scheduling-objects.ts";

const many = (count: number, app: string, spec: Partial<PodSpec>): Pod[] =>
  Array.from({ length: count }, (_, i) => podOf(`${app}-${i}`, app, spec));

describe("pod anti-affinity", () => {
  test("one pod a host", () => {
    expect(podsOfClaims(planOf({ pods: many(4, "web", apart(term(hostKey))) })).map(({ length }) => length)).toEqual([
      1, 1, 1, 1,
    ]);
  });

  test("one pod a zone, as many in one batch as there are zones", () => {
    const result = planOf({ pods: many(4, "web", apart(term(zoneKey))) });
    expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 1, "zone-b": 1, "zone-c": 1 });
    expect(unplacedPods(result)).toEqual(["web-3"]);
    expect(messageOf(result)).toContain("avoids 3 pods with app=web, which leaves nothing");
  });

  test("alone it leaves the zone open", () => {
    expect(podsBy(planOf({ pods: many(1, "web", apart(term(zoneKey))) }), zoneKey)).toEqual({ open: 1 });
  });

  test("keeps away from pods that run, and leaves open which of the other zones", () => {
    const nodes = [nodeIn("zone-a", "n-a", "100m")];
    const pods = [
      boundPod("r", "n-a", { cpu: "100m" }, {}, { labels: { app: "db" } }),
      podOf("p", "web", apart(term(zoneKey, "db"))),
    ];
    const [claim] = planOf({ pods, nodes }).claims;
    expect(claim?.nodeClaim.spec.requirements.find(({ key }) => key === zoneKey)?.values).toEqual(["zone-b", "zone-c"]);
  });

  test("others of its own class do not disturb it when it does not mean itself", () => {
    expect(podsOfClaims(planOf({ pods: many(3, "web", apart(term(hostKey, "db"))) }))).toHaveLength(1);
  });

  test("a node without the key is in no domain and takes it", () => {
    const nodes = [node("bare", { cpu: "4", pods: "9" })];
    expect(podsOnNodes(planOf({ pods: many(1, "web", apart(term(zoneKey))), nodes }))).toEqual({ bare: ["web-0"] });
  });
});

describe("inverse anti-affinity", () => {
  test("a running pod keeps away whom it means", () => {
    const nodes = [nodeIn("zone-a", "n-a"), nodeIn("zone-b", "n-b", "100m")];
    const guard = boundPod("guard", "n-a", { cpu: "1" }, apart(term(zoneKey)), { labels: { app: "guard" } });
    const result = planOf({ pods: [guard, ...many(1, "web", {})], nodes });
    expect(podsOnNodes(result)).toEqual({});
    expect(result.claims[0]?.nodeClaim.spec.requirements.find(({ key }) => key === zoneKey)?.values).toEqual([
      "zone-b",
      "zone-c",
    ]);
  });

  test("so does one that came in the same batch, on its host", () => {
    const guard = podOf("guard", "guard", apart(term(hostKey)), "3");
    expect(podsOfClaims(planOf({ pods: [guard, ...many(2, "web", {})] })).map((names) => [...names].sort())).toEqual([
      ["guard"],
      ["web-0", "web-1"],
    ]);
  });

  test("a wish of a running pod keeps nobody away", () => {
    const nodes = [nodeIn("zone-a", "n-a")];
    const wish = {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term(hostKey) }],
        },
      },
    };
    const guard = boundPod("guard", "n-a", { cpu: "1" }, wish, { labels: { app: "guard" } });
    expect(podsOnNodes(planOf({ pods: [guard, ...many(1, "web", {})], nodes }))).toEqual({ "n-a": ["web-0"] });
  });

  test("the pod that is kept away everywhere hears it", () => {
    const nodes = ["a", "b", "c"].map((zone) => nodeIn(`zone-${zone}`, `n-${zone}`));
    const guards = nodes.map(({ metadata }) =>
      boundPod(`g-${metadata.name}`, metadata.name, { cpu: "1" }, apart(term(zoneKey)), { labels: { app: "guard" } }),
    );
    const message = messageOf(planOf({ pods: [...guards, ...many(1, "web", {})], nodes }));
    expect(message).toContain(
      "3 pods keep pods with app=web away over topology.kubernetes.io/zone, which leaves nothing",
    );
  });
});

describe("a claim whose zone is open", () => {
  test("is settled when that makes room for others", () => {
    const alone = podOf("alone", "web", apart(term(zoneKey)), "2");
    const others = ["zone-a", "zone-b"].map((zone) =>
      podOf(`p-${zone}`, "web", { ...apart(term(zoneKey)), nodeSelector: { [zoneKey]: zone } }),
    );
    const result = planOf({ pods: [alone, ...others] });
    expect(unplacedPods(result)).toEqual([]);
    expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 1, "zone-b": 1, "zone-c": 1 });
  });
});

test("pods that leave a node do not count where they were", () => {
  const nodes = [nodeIn("zone-a", "n-a")].map((one) => ({
    ...one,
    metadata: { ...one.metadata, deletionTimestamp: "2026-01-01T11:59:00Z" },
  }));
  const leaving = boundPod("web-9", "n-a", { cpu: "1" }, apart(term(zoneKey)), web);
  const result = planOf({ pods: [leaving, ...many(2, "web", apart(term(zoneKey)))], nodes });
  expect(podsBy(result, zoneKey)).toEqual({ "zone-a": 1, "zone-b": 1, "zone-c": 1 });
});
