import { expect } from "vitest";
import { deployment } from "../support/manifests.ts";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

/** The last node goes, and the first one comes: with the opt-in rule for pods that are of no use alone. */
export function zero(world: () => World): void {
  const title =
    "to zero and back: DNS alone keeps no node and wakes no cluster, a user's pod does, for itself and for DNS";
  scenario(world, "zero", title, async (none) => {
    const named = { name: "coredns", namespace: "kube-system" };
    await none.apply(
      none.pool(),
      { ...deployment("coredns", "zero", 2), metadata: named },
      {
        ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: named },
        spec: { maxUnavailable: 1, selector: { matchLabels: { app: "coredns" } } },
      },
    );
    await none.nothingMoreIsLaunched();
    expect(none.instances()).toEqual([]);
    await none.apply(none.deployment(1));
    await none.eventuallyRunning(1);
    await none.eventuallyRunning(2, "coredns");
    expect(await none.nodes()).toHaveLength(1);
    await none.scale(0);
    await none.eventuallyEmpty();
    await none.nothingMoreIsLaunched();
    await eventually("DNS waits for a node", async () => (await none.pods("coredns")).length === 2);
    await none.scale(1);
    await none.eventuallyRunning(1);
    await none.eventuallyRunning(2, "coredns");
    expect(await none.nodes()).toHaveLength(1);
    expect(none.instances()).toHaveLength(2);
  });
}
