import { expect } from "vitest";
import { deployment } from "../support/manifests.ts";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

/** The last node goes, and the first one comes: with the opt-in rule for pods that are of no use alone. */
export function zero(world: () => World): void {
  const title = "at zero and back: DNS alone wakes no cluster, a user's pod does, for itself and for DNS";
  scenario(world, "zero", title, async (none) => {
    const named = { name: "coredns", namespace: "kube-system" };
    await none.apply(
      none.pool({ template: { terminationGracePeriod: "10s" } }),
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
    await eventually("the user's pod is gone", async () => (await none.pods()).length === 0);
    const [claim] = await none.claims();
    await world().kubectl("delete", "nodeclaim", claim?.metadata.name ?? "", "--timeout=180s");
    await none.eventuallyEmpty();
    await none.nothingMoreIsLaunched();
    expect(await none.pods("coredns")).toHaveLength(2);
    await none.scale(1);
    await none.eventuallyRunning(1);
    await none.eventuallyRunning(2, "coredns");
    expect(await none.nodes()).toHaveLength(1);
    expect(none.instances()).toHaveLength(2);
  });
}
