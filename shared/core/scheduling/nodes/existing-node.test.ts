import { describe, expect, test } from "vitest";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import {
  boundPod,
  daemonSet,
  node,
  nodePool,
  pendingPod,
  pendingPods,
  snapshotOf,
  testProvider,
} from "../../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "../../provisioning/plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const messages = (result: Plan): readonly string[] => result.unschedulable.map(({ message }) => message);

describe("existing capacity", () => {
  test("initialised nodes are filled before anything is made", () => {
    const nodes = [node("b", { cpu: "2", pods: "10" }), node("a", { cpu: "2", pods: "10" })];
    const result = plan(
      snapshotOf({ pods: pendingPods(3, "p", { cpu: "1" }), nodes, nodePools: [nodePool("default")] }),
    );
    expect(result.claims).toEqual([]);
    expect(result.placements.map(({ node: { name }, pods: { length } }) => [name, length])).toEqual([
      ["a", 2],
      ["b", 1],
    ]);
  });

  test("pods on a node and daemons that will come take their room", () => {
    const nodes = [node("a", { cpu: "4", pods: "10" })];
    const daemonSets = [daemonSet("agent", { cpu: "1" })];
    const pods = [boundPod("b", "a", { cpu: "2" }), ...pendingPods(2, "p", { cpu: "1" })];
    const result = plan(snapshotOf({ pods, nodes, daemonSets }));
    expect(result.placements.map(({ pods: { length } }) => length)).toEqual([1]);
  });

  test("a daemon that runs already is not counted twice", () => {
    const nodes = [node("a", { cpu: "4", pods: "10" })];
    const daemonSets = [daemonSet("agent", { cpu: "1" })];
    const owner = { ownerReferences: [{ apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "uid-agent" }] };
    const running = boundPod("agent-x", "a", { cpu: "1" }, {}, { namespace: "kube-system", ...owner });
    const result = plan(snapshotOf({ pods: [running, ...pendingPods(3, "p", { cpu: "1" })], nodes, daemonSets }));
    expect(result.placements.map(({ pods: { length } }) => length)).toEqual([3]);
  });

  test("a node that lacks a label stays without it, whatever was placed there before", () => {
    const nodes = [node("a", { cpu: "8", pods: "10" })];
    const notIn = { matchExpressions: [{ key: "team", operator: "NotIn" as const, values: ["x"] }] };
    const avoiding = pendingPod(
      "avoids",
      { cpu: "2" },
      {
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [notIn] } } },
      },
    );
    const wanting = pendingPod("wants", { cpu: "1" }, { nodeSelector: { team: "y" } });
    const result = plan(snapshotOf({ pods: [avoiding, wanting], nodes }));
    expect(result.placements.flatMap(({ pods }) => pods.map(({ metadata }) => metadata.name))).toEqual(["avoids"]);
    expect(result.unschedulable).toHaveLength(1);
  });

  test("taints, cordons and ports of a node are respected", () => {
    const nodes = [
      node("cordoned", { cpu: "8", pods: "10" }, { spec: { unschedulable: true } }),
      node("ports", { cpu: "8", pods: "10" }),
      node("tainted", { cpu: "8", pods: "10" }, { spec: { taints: [{ key: "t", effect: "NoExecute" }] } }),
    ];
    const web = (name: string) =>
      pendingPod(
        name,
        {},
        { containers: [{ name: "c", ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }] }] },
      );
    const result = plan(snapshotOf({ pods: [web("one"), web("two")], nodes }));
    expect(result.placements.map(({ node: { name }, pods: { length } }) => [name, length])).toEqual([["ports", 1]]);
    expect(messages(result)).toEqual([
      "no NodePool is ready to make nodes; existing nodes: 2 with an untolerated taint (node.kubernetes.io/unschedulable:NoSchedule), " +
        "1 with its host port taken (80/TCP)",
    ]);
  });

  test("nodes of another provider's class are capacity", () => {
    const nodes = [node("auto", { cpu: "8", pods: "10" }, { labels: { "karpenter.sh/nodepool": "general-purpose" } })];
    const pools = [nodePool("general-purpose", { group: "other.dev" })];
    const result = plan(snapshotOf({ pods: [pendingPod("p", { cpu: "1" })], nodes, nodePools: pools }));
    expect(result.placements.map(({ node: { name } }) => name)).toEqual(["auto"]);
  });
});
