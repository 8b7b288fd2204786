import { describe, expect, test } from "vitest";
import { aPod, KubernetesWorld, readyNode, workload } from "../../../../../test/support/simulated-kubernetes.ts";
import { evictPod } from "../api-server/pod-subresources.ts";

const budget = (spec: object) => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "web", namespace: "default" },
  spec: { selector: { matchLabels: { app: "web" } }, ...spec },
});

async function withBudget(spec: object, replicas: number, cpu = "500m"): Promise<KubernetesWorld> {
  const world = new KubernetesWorld();
  world.load(readyNode("n"), budget(spec));
  if (replicas > 0) world.load(workload("Deployment", "web", { replicas }, { cpu }));
  await world.runFor(30);
  return world;
}

function status(world: KubernetesWorld): unknown {
  return world.api.store.list("PodDisruptionBudget")[0]?.status;
}

describe("PodDisruptionBudget status", () => {
  // Numbers: Kubernetes' rules; percentages round up, so that a budget protects rather more.
  test.each([
    [{ minAvailable: 2 }, 3, { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 }],
    [{ minAvailable: "50%" }, 3, { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 }],
    [{ minAvailable: "100%" }, 3, { expectedPods: 3, desiredHealthy: 3, currentHealthy: 3, disruptionsAllowed: 0 }],
    [{ maxUnavailable: 1 }, 3, { expectedPods: 3, desiredHealthy: 2, currentHealthy: 3, disruptionsAllowed: 1 }],
    [{ maxUnavailable: "34%" }, 3, { expectedPods: 3, desiredHealthy: 1, currentHealthy: 3, disruptionsAllowed: 2 }],
    [{ maxUnavailable: 0 }, 3, { expectedPods: 3, desiredHealthy: 3, currentHealthy: 3, disruptionsAllowed: 0 }],
    [{ minAvailable: 1 }, 0, { expectedPods: 0, desiredHealthy: 1, currentHealthy: 0, disruptionsAllowed: 0 }],
  ])("%j over %d replicas", async (spec, replicas, expected) => {
    expect(status(await withBudget(spec, replicas))).toMatchObject(expected);
  });

  test("maxUnavailable counts the replicas that are asked for, running or not", async () => {
    // Two of three fit the node: one is missing already.
    expect(status(await withBudget({ maxUnavailable: 1 }, 3, "2"))).toMatchObject({
      expectedPods: 3,
      currentHealthy: 2,
      disruptionsAllowed: 0,
    });
  });

  test("a granted eviction is charged at once and given back when the replacement is ready", async () => {
    const world = await withBudget({ minAvailable: 2 }, 3);
    const [first, second] = world.pods().map(({ metadata }) => metadata.name);
    expect(evictPod(world.api, "default", first ?? "")).toMatchObject({ kind: "ok", code: 201 });
    expect(status(world)).toMatchObject({ disruptionsAllowed: 0 });
    expect(evictPod(world.api, "default", second ?? "")).toMatchObject({ code: 429, reason: "TooManyRequests" });
    await world.runFor(30);
    expect(status(world)).toMatchObject({ disruptionsAllowed: 1, currentHealthy: 3 });
    expect(evictPod(world.api, "default", second ?? "")).toMatchObject({ code: 201 });
  });

  test("a budget that was just made refuses until it is computed, and says when to come back", async () => {
    const world = new KubernetesWorld();
    world.load(readyNode("n"), aPod("web"));
    await world.runFor(20);
    world.load(budget({ minAvailable: 0 }));
    expect(evictPod(world.api, "default", "web")).toMatchObject({ code: 429, retryAfterSeconds: 10 });
    await world.runFor(1);
    expect(evictPod(world.api, "default", "web")).toMatchObject({ code: 201 });
  });

  test.each([
    ["IfHealthyBudget", 429],
    ["AlwaysAllow", 201],
  ])("an unready pod under %s without room gets %d", async (unhealthyPodEvictionPolicy, code) => {
    const world = await withBudget({ minAvailable: 3, unhealthyPodEvictionPolicy }, 3);
    const name = world.pods()[0]?.metadata.name ?? "";
    const conditions = [{ type: "Ready", status: "False" }];
    world.api.patchStatus("Pod", name, "default", { conditions });
    await world.runFor(1);
    expect(evictPod(world.api, "default", name)).toMatchObject({ code });
  });

  test("an unready pod may go when the budget is met without it", async () => {
    const world = await withBudget({ minAvailable: 2 }, 3);
    const name = world.pods()[0]?.metadata.name ?? "";
    world.api.patchStatus("Pod", name, "default", { conditions: [{ type: "Ready", status: "False" }] });
    await world.runFor(1);
    expect(status(world)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
    expect(evictPod(world.api, "default", name)).toMatchObject({ code: 201 });
  });
});
