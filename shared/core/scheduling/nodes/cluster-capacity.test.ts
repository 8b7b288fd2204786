import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { boundPod, daemonSet, node, snapshotOf } from "../../../../test/support/scheduling-objects.ts";
import { stateNodes } from "../../state/state-node.ts";
import { daemonsOf } from "../resources/daemon-overhead.ts";
import { existingNode } from "./cluster-capacity.ts";

const now = "2026-01-01T12:00:00Z";
const condition = (type: string) => ({
  type,
  status: "True" as const,
  reason: type,
  message: "",
  lastTransitionTime: now,
});
const claim = (name: string, decision: string, more: Partial<NodeClaim["status"]> = {}): NodeClaim => ({
  apiVersion: "karpenter.sh/v1",
  kind: "NodeClaim",
  metadata: {
    name,
    uid: name,
    creationTimestamp: now,
    annotations: { "outrigger.dev/decision": decision },
    labels: { zone: "z" },
  },
  spec: {
    requirements: [],
    nodeClassRef: { group: "g", kind: "k", name: "d" },
    taints: [{ key: "own", effect: "NoSchedule" }],
  },
  status: {
    providerID: `test:///${name}`,
    allocatable: { cpu: "4", "example.com/gpu": "1" },
    capacity: { cpu: "4" },
    ...more,
  },
});

test("initialised nodes come first by name, the others in the order in which they were decided on", () => {
  const nodeClaims = [
    claim("a", "t/10"),
    claim("b", "t/9"),
    claim("c", "s/1"),
    claim("z", "r/1", { conditions: [condition("Initialized")] }),
  ];
  const nodes = [node("z", {}), node("own", {})];
  const { cluster } = snapshotOf({ nodeClaims, nodes });
  expect(stateNodes(cluster).map(({ name }) => name)).toEqual(["own", "z", "c", "b", "a"]);
});

describe("what a node offers", () => {
  test("a launched claim offers what its provider says, under its own taints and labels", () => {
    const { cluster } = snapshotOf({ nodeClaims: [claim("a", "t/0")] });
    const [state] = stateNodes(cluster);
    expect(state === undefined ? undefined : existingNode(state, [])).toMatchObject({
      kind: "claim",
      name: "a",
      is: { labels: { zone: "z" } },
      taints: [{ key: "own", effect: "NoSchedule" }],
      free: { cpu: 4000, "example.com/gpu": 1 },
    });
  });

  test("devices that a starting node does not report yet are taken from its claim", () => {
    const nodeClaims = [claim("a", "t/0", { conditions: [condition("Registered")] })];
    const { cluster } = snapshotOf({ nodeClaims, nodes: [node("a", { cpu: "3", "example.com/gpu": "0" })] });
    const [state] = stateNodes(cluster);
    expect(state === undefined ? undefined : existingNode(state, [])?.free).toMatchObject({
      cpu: 3000,
      "example.com/gpu": 1,
    });
  });

  test("a claim without an instance offers nothing definite", () => {
    const { status: _, ...bare } = claim("a", "t/0");
    const [state] = stateNodes(snapshotOf({ nodeClaims: [bare] }).cluster);
    expect(state === undefined ? "" : existingNode(state, [])).toBeUndefined();
  });

  test("a daemon's host port is taken before the daemon runs", () => {
    const ports = [{ containerPort: 9100, hostPort: 9100, protocol: "TCP" as const }];
    const daemons = daemonsOf([daemonSet("exporter", {}, { containers: [{ name: "c", ports }] })], []);
    const [state] = stateNodes(snapshotOf({ nodes: [node("a", { cpu: "2" })] }).cluster);
    expect(state === undefined ? undefined : existingNode(state, daemons)?.hostPorts).toEqual([
      { port: 9100, protocol: "TCP", ip: "0.0.0.0" },
    ]);
  });

  test("a daemon that takes more than its DaemonSet says is not counted below zero", () => {
    const owner = {
      ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "u" }],
      namespace: "kube-system",
    };
    const running = boundPod("agent-1", "a", { cpu: "2" }, {}, owner);
    const daemons = daemonsOf([daemonSet("agent", { cpu: "1" }), daemonSet("other", { memory: "1Gi" })], []);
    const [state] = stateNodes(
      snapshotOf({ nodes: [node("a", { cpu: "4", memory: "4Gi" })], pods: [running] }).cluster,
    );
    expect(state === undefined ? undefined : existingNode(state, daemons)?.free).toMatchObject({
      cpu: 2000,
      memory: 3 * 2 ** 30,
    });
  });

  test("pods that are done take nothing", () => {
    const done = { ...boundPod("done", "a", { cpu: "2" }), status: { phase: "Succeeded" as const } };
    const [state] = stateNodes(snapshotOf({ nodes: [node("a", { cpu: "4" })], pods: [done] }).cluster);
    expect(state === undefined ? undefined : existingNode(state, [])?.free).toMatchObject({ cpu: 4000 });
  });
});
