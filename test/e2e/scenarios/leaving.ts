import { expect, test } from "vitest";
import { eventually } from "../support/real-cluster.ts";
import { deployment, nodePool, type World } from "../support/world.ts";

/** Claims and nodes that are deleted by hand. */
export function leaving(world: () => World): void {
  test("a claim deleted by hand is drained under its budget, which answers 429, and its pods move", async () => {
    await world().apply(nodePool("drain"), deployment("guarded", "drain", 2));
    await world().eventuallyRunning("guarded", 2);
    const selector = { matchLabels: { app: "guarded" } };
    await world().apply({
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "guarded", namespace: "default" },
      spec: { minAvailable: 2, selector },
    });
    const [claim] = await world().claims();
    await world().admin.delete("NodeClaim", claim?.metadata.name ?? "");
    await eventually("an eviction was refused", async () =>
      world().runs.reports.some(({ steps }) =>
        steps.some(
          ({ command, outcome }) =>
            command.kind === "evict-pod" && outcome.kind === "failed" && outcome.fault.kind === "eviction-refused",
        ),
      ),
    );
    const running = await world().pods("guarded");
    expect(running.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length).toBeGreaterThanOrEqual(2);
    await world().admin.patch("PodDisruptionBudget", "guarded", "default", { spec: { minAvailable: 1 } });
    await eventually(
      "the claim is gone",
      async () => !(await world().claims()).some(({ metadata }) => metadata.uid === claim?.metadata.uid),
      90_000,
    );
    await world().eventuallyRunning("guarded", 2);
  });

  test("a node deleted by hand takes its instance with it, and its pods get another", async () => {
    await world().apply(nodePool("byhand"), deployment("web", "byhand", 1));
    await world().eventuallyRunning("web", 1);
    const [node] = await world().nodes();
    await world().admin.delete("Node", node?.metadata.name ?? "");
    await eventually(
      "the node is gone",
      async () => !(await world().nodes()).some(({ metadata }) => metadata.uid === node?.metadata.uid),
      90_000,
    );
    await world().eventuallyRunning("web", 1, 90_000);
  });
}
