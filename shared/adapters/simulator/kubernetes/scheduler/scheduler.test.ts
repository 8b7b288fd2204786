import { describe, expect, test } from "vitest";
import {
  aPod,
  KubernetesWorld,
  type NodeOptions,
  readyNode,
  workload,
} from "../../../../../test/support/simulated-kubernetes.ts";

async function scheduled(nodes: Readonly<Record<string, NodeOptions>>, ...objects: readonly object[]) {
  const world = new KubernetesWorld();
  world.load(...Object.entries(nodes).map(([name, options]) => readyNode(name, options)));
  await world.runFor(1);
  world.load(...objects);
  await world.runFor(20);
  return world;
}

describe("Scheduler: one pod and one node", () => {
  test.each([
    [
      "a selector that no label meets",
      { nodeSelector: { disk: "ssd" } },
      {},
      "1 node(s) didn't match Pod's node affinity/selector",
    ],
    [
      "a taint that it does not tolerate",
      {},
      { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] },
      "1 node(s) had untolerated taint {gpu: yes}",
    ],
    ["a node without enough CPU", { cpu: "5" }, {}, "1 Insufficient cpu"],
    [
      "a node without enough of two resources",
      { cpu: "5", memory: "20Gi" },
      {},
      "1 Insufficient cpu, 1 Insufficient memory",
    ],
    [
      "a resource that the node does not have",
      { resources: { requests: { "example.com/gpu": "1" } } },
      {},
      "1 Insufficient example.com/gpu",
    ],
    ["a node without room for pods", {}, { pods: "0" }, "1 Too many pods"],
  ] as const)("refuses %s", async (_, pod, node, reason) => {
    const world = await scheduled({ n: node }, aPod("p", pod));
    expect(world.unschedulable("p")).toBe(`0/1 nodes are available: ${reason}.`);
    const events = world.api.list("Event", { fieldSelector: "involvedObject.name=p,reason=FailedScheduling" });
    expect(events).toMatchObject({ items: [{ type: "Warning" }] });
  });

  test.each([
    [
      "its taint",
      { tolerations: [{ key: "gpu", operator: "Exists" }] },
      { taints: [{ key: "gpu", effect: "NoSchedule" }] },
    ],
    [
      "a numeric taint",
      { tolerations: [{ key: "cost", operator: "Lt", value: "5" }] },
      { taints: [{ key: "cost", value: "7", effect: "NoSchedule" }] },
    ],
    [
      "an affinity term of several",
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                { matchExpressions: [{ key: "a", operator: "In", values: ["x"] }] },
                { matchExpressions: [{ key: "a", operator: "Gt", values: ["3"] }] },
              ],
            },
          },
        },
      },
      { labels: { a: "4" } },
    ],
    [
      "sidecars and init containers that fit one after the other",
      {
        cpu: "1",
        initContainers: [
          { name: "i", resources: { requests: { cpu: "3" } } },
          { name: "s", restartPolicy: "Always", resources: { requests: { cpu: "1" } } },
          { name: "j", resources: { requests: { cpu: "3" } } },
        ],
      },
      {},
    ],
  ] as const)("binds a pod that meets %s", async (what, pod, node) => {
    const world = await scheduled({ n: node }, aPod("p", pod));
    const expected = what === "a numeric taint" ? "" : "n";
    expect(world.placement()).toEqual({ p: expected });
  });

  test("a pod of another scheduler and a gated pod are left alone; the gate's removal frees it", async () => {
    const gates = [{ name: "example.com/wait" }];
    const world = await scheduled(
      { n: {} },
      aPod("p", { schedulerName: "mine" }),
      aPod("q", { schedulingGates: gates }),
    );
    expect(world.placement()).toEqual({ p: "", q: "" });
    expect(world.unschedulable("p")).toBeUndefined();
    world.api.patch("Pod", "q", "default", { spec: { schedulingGates: null } });
    await world.runFor(1);
    expect(world.placement()).toEqual({ p: "", q: "n" });
  });

  test("two pods cannot have one host port", async () => {
    const containers = [{ name: "main", ports: [{ containerPort: 80, hostPort: 80 }] }];
    const world = await scheduled({ n: {} }, aPod("p", { containers }), aPod("q", { containers }));
    expect(Object.values(world.placement()).sort()).toEqual(["", "n"]);
    const waiting = world.placement().p === "" ? "p" : "q";
    expect(world.unschedulable(waiting)).toContain("didn't have free ports");
  });
});

describe("Scheduler: waiting and going on", () => {
  test("without nodes the message says so, and a new node ends the wait", async () => {
    const world = await scheduled({}, aPod("p"));
    expect(world.unschedulable("p")).toBe("no nodes available to schedule pods");
    world.load(readyNode("n"));
    await world.runFor(15);
    expect(world.placement()).toEqual({ p: "n" });
  });

  test("a pod that leaves makes room", async () => {
    const world = await scheduled({ n: {} }, aPod("big", { cpu: "4" }));
    world.load(aPod("next", { cpu: "4" }));
    await world.runFor(5);
    expect(world.unschedulable("next")).toContain("Insufficient cpu");
    world.api.delete("Pod", "big", "default");
    await world.runFor(20);
    expect(world.placement()).toEqual({ next: "n" });
  });

  test("room goes to the higher priority first", async () => {
    const world = new KubernetesWorld();
    world.load({ apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name: "high" }, value: 10 });
    world.load(aPod("a", { cpu: "4" }), aPod("z", { cpu: "4", priorityClassName: "high" }));
    await world.runFor(5);
    world.load(readyNode("n"));
    await world.runFor(20);
    expect(world.placement()).toEqual({ a: "", z: "n" });
  });

  test("a cordoned node takes no new pod", async () => {
    const world = await scheduled({ n: {} });
    world.api.patch("Node", "n", undefined, { spec: { unschedulable: true } });
    world.load(aPod("p"));
    await world.runFor(2);
    expect(world.unschedulable("p")).toContain("unschedulable");
  });
});

describe("Scheduler: preferences", () => {
  test("pods are spread over nodes and zones", async () => {
    const world = await scheduled(
      { a: { zone: "z1" }, b: { zone: "z2" }, c: { zone: "z3" } },
      workload("Deployment", "web", { replicas: 6 }),
    );
    const nodes = Object.values(world.placement());
    expect(["a", "b", "c"].map((name) => nodes.filter((node) => node === name).length)).toEqual([2, 2, 2]);
  });

  test("a PreferNoSchedule taint and a preferred label decide between nodes that fit", async () => {
    const taints = [{ key: "old", effect: "PreferNoSchedule" }] as const;
    const preferred = [
      { weight: 50, preference: { matchExpressions: [{ key: "disk", operator: "Exists" as const }] } },
    ];
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
    const world = await scheduled(
      { a: { taints }, b: {}, c: { labels: { disk: "ssd" } } },
      aPod("p", { affinity: { nodeAffinity } }),
      aPod("q", { cpu: "3500m" }),
    );
    expect(world.placement().p).toBe("c");
    expect(world.placement().q).toBe("b");
  });
});
