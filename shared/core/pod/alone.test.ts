import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { claimIn, deletedClaim, evicted, leavingStages, worldWith } from "../../../test/support/leaving-world.ts";
import {
  claimOf,
  condition,
  daemonOwner,
  nodeOf,
  nowMs,
  podOf,
  poolOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { stagesNamed } from "../../../test/support/sample-stages.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";

const settings = { ignoreWhenAloneNamespaces: ["kube-system"] };
const dns = (name: string, on?: string): Pod => podOf(name, on, { namespace: "kube-system", labels: { app: "dns" } });
const budget = {
  ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "dns", namespace: "kube-system" } },
  spec: { minAvailable: 2, selector: { matchLabels: { app: "dns" } } },
  status: { disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2, expectedPods: 2 },
};
const deletedOf = (world: SmallWorld, kind: string) =>
  world.steps.flatMap(({ command }) =>
    command.kind === "delete-object" && command.target.kind === kind ? [command.target.name] : [],
  );

function idle(name: string): NodeClaim {
  const status = statusOf(name, "initialized");
  const labels = {
    "karpenter.sh/nodepool": "pool",
    "node.kubernetes.io/instance-type": "small",
    "topology.kubernetes.io/zone": "zone-a",
    "karpenter.sh/capacity-type": "on-demand",
  };
  const conditions = [...(status.conditions ?? []), condition("Consolidatable", "True")];
  return claimOf(name, { labels, status: { ...status, conditions } });
}

/** Who is deleted 15 s after the first look. */
async function emptied(change: Partial<SmallWorld["settings"]>, pods: readonly Pod[]): Promise<readonly string[]> {
  const world = new SmallWorld(nowMs, {
    ...{ nodePools: [poolOf()], nodeClaims: [idle("a")], nodes: [nodeOf("a")], pods: [dns("dns-1", "a"), ...pods] },
    podDisruptionBudgets: [budget],
  });
  world.settings = change;
  const stages = stagesNamed(["replacement", "disruption", "orchestration"]);
  await world.tick(stages);
  world.atMs += 15_000;
  await world.tick(stages);
  return deletedOf(world, "NodeClaim");
}

describe("a node with pods of an ignored namespace", () => {
  test("is empty when the cluster has no others, whatever their budgets say", async () => {
    expect(await emptied(settings, [dns("dns-2", "a"), podOf("agent", "a", { ownerReferences: daemonOwner })])).toEqual(
      ["a"],
    );
  });

  test.each([
    { what: "the rule is not opted into", change: {}, pods: [] },
    { what: "a user's pod runs elsewhere", change: settings, pods: [podOf("web", "other")] },
    { what: "a user's pod waits", change: settings, pods: [podOf("web", undefined)] },
    {
      what: "one of them asks not to be disrupted",
      change: settings,
      pods: [podOf("held", "a", { namespace: "kube-system", annotations: { "karpenter.sh/do-not-disrupt": "true" } })],
    },
  ])("stays when $what", async ({ change, pods }) => {
    expect(await emptied(change, pods)).toEqual([]);
  });
});

describe("a drain of pods of an ignored namespace", () => {
  async function drained(pods: readonly Pod[]): Promise<SmallWorld> {
    const world = worldWith({
      ...{ nodeClaims: [deletedClaim()], nodes: [nodeOf("a")], pods: [dns("dns-1", "a"), ...pods] },
      podDisruptionBudgets: [budget],
    });
    world.settings = settings;
    world.fault = ({ kind }) => (kind === "evict-pod" ? "eviction-refused" : undefined);
    await world.tick(leavingStages);
    expect(evicted(world)).toEqual(["dns-1"]);
    expect(deletedOf(world, "Pod")).toEqual([]);
    world.atMs += 1_000;
    await world.tick(leavingStages);
    return world;
  }

  test("asks their budget first, and does not wait for it when nothing else is there", async () => {
    const world = await drained([]);
    expect(deletedOf(world, "Pod")).toEqual(["dns-1"]);
    expect(claimIn(world)).toBeDefined();
  });

  test("waits for their budget while a user's pod is there", async () => {
    expect(deletedOf(await drained([podOf("web", "other")]), "Pod")).toEqual([]);
  });
});
