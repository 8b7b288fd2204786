import { expect, test } from "vitest";
import { eventually } from "../support/real-cluster.ts";
import { deployment, nodePool, type World } from "../support/world.ts";

/** What goes wrong around us, and what is not ours. */
export function trouble(world: () => World): void {
  test("a restart of the API server loses nothing and doubles nothing", async () => {
    await world().apply(nodePool("restart"), deployment("web", "restart", 3));
    await eventually("a claim is there", async () => (await world().claims()).length > 0);
    await world().real.controlPlane.restartApiServer();
    await world().eventuallyRunning("web", 3, 90_000);
    // An invocation that met no API server died and said so; the next one went on.
    world().runs.failures.length = 0;
    expect(world().livingInstances()).toBe((await world().claims()).length);
  });

  test("pools of another class group are not touched", async () => {
    const foreign = { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" };
    await world().apply(nodePool("foreign", { template: { nodeClassRef: foreign } }), deployment("web", "foreign", 1));
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    expect(await world().claims()).toEqual([]);
    const pool = await world().admin.get("NodePool", "foreign");
    expect(pool).not.toHaveProperty("object.status.conditions");
    expect(pool).not.toHaveProperty("object.metadata.annotations");
  });

  test("a token whose time is over is made anew, and nobody notices", async () => {
    await world().apply(nodePool("token"), deployment("web", "token", 1));
    await world().eventuallyRunning("web", 1);
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    world().review.refuseOlder();
    // The API server remembers for ten seconds whom it knows. A process that starts with each tick has no old token.
    const refusals = (): number => world().review.reviews - world().review.accepted;
    if (world().runs.mode !== "process-per-tick") await eventually("a token is refused", async () => refusals() > 0);
    await world().admin.patch("Deployment", "web", "default", { spec: { replicas: 5 } }, "scale");
    await world().eventuallyRunning("web", 5);
    expect(world().runs.failures).toEqual([]);
  });

  test("three functions at once are one by the Lease: one claim for one pod", async () => {
    world().runs.also(2);
    await world().apply(nodePool("three"), deployment("web", "three", 1));
    await world().eventuallyRunning("web", 1);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(world().livingInstances()).toBe(1);
    expect(await world().claims()).toHaveLength(1);
    await world().runs.alone();
  });

  test("an impossible pod is told why, costs nothing, and keeps no function awake", async () => {
    const huge = { containers: [{ name: "main", image: "none", resources: { requests: { cpu: "5000" } } }] };
    await world().apply(nodePool("huge"), deployment("huge", "huge", 1, huge));
    await eventually("an event says why", async () => {
      const events = await world().admin.list("Event", {
        namespace: "default",
        fieldSelector: "reason=FailedScheduling",
      });
      if (events.kind === "refused") return false;
      return events.object.items.some((event) => JSON.stringify(event).includes('"component":"outrigger"'));
    });
    const before = world().runs.endings.length;
    await eventually("invocations end", async () => world().runs.endings.length > before + 2);
    expect(world().livingInstances()).toBe(0);
  });

  test("a node that never joins is given up after Karpenter's fifteen minutes, and another is tried", async () => {
    await world().apply(nodePool("lost"));
    world().kubelet.joins = false;
    await world().apply(deployment("web", "lost", 1));
    await eventually("an instance is launched", async () => world().livingInstances() === 1);
    const [first] = await world().claims();
    const isLeft = async (): Promise<boolean> =>
      (await world().claims()).some(({ metadata }) => metadata.uid === first?.metadata.uid);
    // For a function whose clock is ahead a new claim would be as old: there shall be none meanwhile.
    await world().admin.patch("Deployment", "web", "default", { spec: { replicas: 0 } }, "scale");
    await world().runs.later(16 * 60_000);
    await eventually("the claim is gone", async () => !(await isLeft()));
    await world().runs.later(0);
    world().kubelet.joins = true;
    await world().admin.patch("Deployment", "web", "default", { spec: { replicas: 1 } }, "scale");
    await world().eventuallyRunning("web", 1, 90_000);
  });
}
