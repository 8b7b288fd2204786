import { describe, expect, test } from "vitest";
import type { Pod, TopologySpreadConstraint } from "#api/core-v1/pod.ts";
import {
  aPod,
  KubernetesWorld,
  type NodeOptions,
  readyNode,
  workload,
} from "../../../../../test/support/simulated-kubernetes.ts";

const zone = "topology.kubernetes.io/zone";
const hostname = "kubernetes.io/hostname";
const zones = { a: { zone: "z1" }, b: { zone: "z2" }, c: { zone: "z3" } };

async function scheduled(nodes: Readonly<Record<string, NodeOptions>>, ...objects: readonly object[]) {
  const world = new KubernetesWorld();
  world.load(...Object.entries(nodes).map(([name, options]) => readyNode(name, options)));
  await world.runFor(1);
  for (const object of objects) {
    world.load(object);
    await world.runFor(15);
  }
  return world;
}

function spread(more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: zone,
    whenUnsatisfiable: "DoNotSchedule",
    labelSelector: { matchLabels: { app: "web" } },
    ...more,
  };
}

function countByNode(world: KubernetesWorld): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const node of Object.values(world.placement())) counts[node] = (counts[node] ?? 0) + 1;
  return counts;
}

describe("topology spread", () => {
  test("a full zone holds the others back", async () => {
    const nodes = { ...zones, c: { zone: "z3", cpu: "500m" } };
    const world = await scheduled(
      nodes,
      workload("Deployment", "web", { replicas: 8 }, { topologySpreadConstraints: [spread()] }),
    );
    expect(countByNode(world)).toEqual({ a: 2, b: 2, c: 1, "": 3 });
    const waiting = world.pods().find(({ spec }) => spec.nodeName === undefined);
    expect(world.unschedulable(waiting?.metadata.name ?? "")).toBe(
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match pod topology spread constraints.",
    );
  });

  test("a node without the key is no domain and takes no pod", async () => {
    const labels = { rack: "r1" };
    const world = await scheduled(
      { a: { labels }, b: {} },
      aPod("p", { labels: { app: "web" }, topologySpreadConstraints: [spread({ topologyKey: "rack" })] }),
      aPod("q", { nodeSelector: { [hostname]: "b" }, topologySpreadConstraints: [spread({ topologyKey: "rack" })] }),
    );
    expect(world.placement()).toEqual({ p: "a", q: "" });
    expect(world.unschedulable("q")).toBe(
      "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't match pod topology spread constraints (missing required label).",
    );
  });

  test("fewer domains than minDomains: no domain may hold more than maxSkew", async () => {
    const world = await scheduled(
      { a: { zone: "z1" }, b: { zone: "z2" } },
      workload("Deployment", "web", { replicas: 4 }, { topologySpreadConstraints: [spread({ minDomains: 3 })] }),
    );
    expect(countByNode(world)).toEqual({ a: 1, b: 1, "": 2 });
  });

  test("nodes that the pod's affinity excludes count only with nodeAffinityPolicy Ignore", async () => {
    const template = (nodeAffinityPolicy: "Honor" | "Ignore") =>
      workload(
        "Deployment",
        "web",
        { replicas: 3 },
        { nodeSelector: { [zone]: "z1" }, topologySpreadConstraints: [spread({ nodeAffinityPolicy })] },
      );
    expect(countByNode(await scheduled(zones, template("Honor")))).toEqual({ a: 3 });
    expect(countByNode(await scheduled(zones, template("Ignore")))).toEqual({ a: 1, "": 2 });
  });

  test("tainted nodes count unless nodeTaintsPolicy is Honor", async () => {
    const taints = [{ key: "closed", effect: "NoSchedule" }] as const;
    const nodes = { a: { zone: "z1" }, b: { zone: "z2", taints } };
    const template = (nodeTaintsPolicy: "Honor" | "Ignore") =>
      workload("Deployment", "web", { replicas: 2 }, { topologySpreadConstraints: [spread({ nodeTaintsPolicy })] });
    expect(countByNode(await scheduled(nodes, template("Ignore")))).toEqual({ a: 1, "": 1 });
    expect(countByNode(await scheduled(nodes, template("Honor")))).toEqual({ a: 2 });
  });

  test("ScheduleAnyway holds nobody back", async () => {
    const soft = spread({ whenUnsatisfiable: "ScheduleAnyway", topologyKey: "rack" });
    const world = await scheduled({ a: {} }, aPod("p", { labels: { app: "web" }, topologySpreadConstraints: [soft] }));
    expect(world.placement()).toEqual({ p: "a" });
  });
});

const required = (app: string, topologyKey: string) => ({
  requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { app } } }],
});
const preferred = (app: string, topologyKey: string) => ({
  preferredDuringSchedulingIgnoredDuringExecution: [
    { weight: 100, podAffinityTerm: { topologyKey, labelSelector: { matchLabels: { app } } } },
  ],
});
const near = (app: string, key = zone) =>
  ({ affinity: { podAffinity: required(app, key) } }) satisfies Partial<Pod["spec"]>;
const far = (app: string, key = zone) =>
  ({ affinity: { podAntiAffinity: required(app, key) } }) satisfies Partial<Pod["spec"]>;

describe("inter-pod affinity", () => {
  test("a pod goes where the pod is that it wants to be near", async () => {
    const world = await scheduled(zones, aPod("db", { nodeSelector: { [zone]: "z2" } }), aPod("web", near("db")));
    expect(world.placement()).toEqual({ db: "b", web: "b" });
  });

  test("without such a pod it waits, and goes as soon as one is there", async () => {
    const world = await scheduled(zones, aPod("web", near("db")));
    expect(world.unschedulable("web")).toBe("0/3 nodes are available: 3 node(s) didn't match pod affinity rules.");
    world.load(aPod("db", { nodeSelector: { [zone]: "z3" } }));
    await world.runFor(20);
    expect(world.placement()).toEqual({ db: "c", web: "c" });
  });

  test("the first of a group that wants to be together goes anywhere, the others follow", async () => {
    const world = await scheduled(zones, workload("Deployment", "web", { replicas: 4 }, near("web")));
    expect(new Set(Object.values(world.placement())).size).toBe(1);
  });

  test("anti-affinity keeps alike apart", async () => {
    const world = await scheduled(zones, workload("Deployment", "web", { replicas: 4 }, far("web", hostname)));
    expect(countByNode(world)).toEqual({ a: 1, b: 1, c: 1, "": 1 });
  });

  test("a pod that is there keeps those away that it does not want", async () => {
    const world = await scheduled({ a: {} }, aPod("loner", far("web")), aPod("web"));
    expect(world.unschedulable("web")).toBe(
      "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules.",
    );
  });

  test("a term without namespaces looks at the pod's own namespace; a selector over namespaces at those", async () => {
    const inTeam = { ...aPod("db"), metadata: { name: "db", namespace: "team", labels: { app: "db" } } };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", labels: { team: "yes" } } };
    const term = {
      topologyKey: zone,
      labelSelector: { matchLabels: { app: "db" } },
      namespaceSelector: { matchLabels: { team: "yes" } },
    };
    const everywhere = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
    const world = await scheduled({ a: {} }, namespace, inTeam, aPod("own", near("db")), aPod("wide", everywhere));
    expect(world.placement()).toMatchObject({ own: "", wide: "a" });
  });

  test("preferences decide between nodes that fit", async () => {
    const together = { affinity: { podAffinity: preferred("db", zone) } };
    const apart = { affinity: { podAntiAffinity: preferred("db", zone) } };
    const db = aPod("db", { nodeSelector: { [zone]: "z2" }, cpu: "100m" });
    const world = await scheduled(
      { a: { zone: "z1" }, b: { zone: "z2" } },
      db,
      aPod("web", together),
      aPod("other", apart),
    );
    expect(world.placement()).toEqual({ db: "b", web: "b", other: "a" });
  });
});
