import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import {
  boundPod,
  node,
  nodePool,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "./plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);
const firstClaim = (result: Plan): NodeClaim | undefined => result.claims[0]?.nodeClaim;

describe("nodes that are going away", () => {
  const claimOf = (name: string, deleting: boolean): NodeClaim => ({
    apiVersion: "karpenter.sh/v1",
    kind: "NodeClaim",
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: { "karpenter.sh/nodepool": "default" },
      ...(deleting ? { deletionTimestamp: "2026-01-01T11:59:59Z" } : {}),
    },
    spec: { requirements: [], nodeClassRef: { group: "example.dev", kind: "TestClass", name: "default" } },
    status: { providerID: `test:///${name}`, nodeName: name },
  });

  test("their pods are demand, and the claim that takes them names whom it replaces", () => {
    const pods = [boundPod("web", "old", { cpu: "1" }, {}, { labels: { app: "web" } })];
    const cluster = {
      pods,
      nodes: [node("old", { cpu: "4", pods: "10" })],
      nodeClaims: [claimOf("old", true)],
      nodePools: [nodePool("default")],
    };
    const result = plan(snapshotOf(cluster));
    expect(firstClaim(result)?.metadata.annotations).toMatchObject({ "outrigger.dev/replaces": "old" });
  });

  test("pods that cannot leave are no demand", () => {
    const pods = [boundPod("web", "old", { cpu: "1" }, {}, { labels: { app: "web" } })];
    const budget = {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "b", namespace: "default" },
      spec: { selector: { matchLabels: { app: "web" } }, maxUnavailable: 0 },
    };
    const cluster = {
      pods,
      nodes: [node("old", { cpu: "4", pods: "10" })],
      nodeClaims: [claimOf("old", true)],
      nodePools: [nodePool("default")],
    };
    expect(plan(snapshotOf({ ...cluster, podDisruptionBudgets: [budget] })).claims).toEqual([]);
  });

  test("pods that cannot leave still keep others away from their zone", () => {
    const zone = "topology.kubernetes.io/zone";
    const term = { topologyKey: zone, labelSelector: { matchLabels: { app: "web" } } };
    const apart = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
    const budget = {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "b", namespace: "default" },
      spec: { selector: { matchLabels: { app: "web" } }, maxUnavailable: 0 },
    };
    const inZone = { labels: { [zone]: "zone-a" } };
    const cluster = {
      pods: [
        boundPod("web", "old", { cpu: "1" }, {}, { labels: { app: "web" } }),
        boundPod("shy", "old", { cpu: "1" }, apart, { labels: { app: "shy" } }),
      ],
      nodes: [node("old", { cpu: "4", pods: "10" }, inZone), node("other", { cpu: "4", pods: "10" }, inZone)],
      nodeClaims: [claimOf("old", true)],
      nodePools: [nodePool("default")],
    };
    expect(plan(snapshotOf(cluster)).placements.flatMap(({ pods }) => pods.map((pod) => pod.metadata.name))).toContain(
      "shy",
    );
    const held = plan(snapshotOf({ ...cluster, podDisruptionBudgets: [budget] }));
    expect(held.placements).toEqual([]);
    expect(firstClaim(held)?.spec.requirements.find(({ key }) => key === zone)?.values).not.toContain("zone-a");
  });

  test("their room is not used", () => {
    const cluster = {
      pods: [pendingPod("p", { cpu: "1" })],
      nodes: [node("old", { cpu: "4", pods: "10" })],
      nodeClaims: [claimOf("old", true)],
      nodePools: [nodePool("default")],
    };
    expect(plan(snapshotOf(cluster)).claims).toHaveLength(1);
    expect(plan(snapshotOf({ ...cluster, nodeClaims: [claimOf("old", false)] })).claims).toEqual([]);
  });
});
