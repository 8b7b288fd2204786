import { expect } from "vitest";
import { scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

/** What was planned is what the real scheduler does. */
export function placement(world: () => World): void {
  scenario(world, "spread", "spread over zones is bound where the plan expected it", async (spread) => {
    const constraint = {
      ...{ maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" },
      labelSelector: { matchLabels: { app: "spread" } },
    };
    // A node has room for two of them and no third: whichever comes first, the scheduler cannot crowd its zone.
    const containers = [{ name: "main", image: "none", resources: { requests: { cpu: "1500m", memory: "1Gi" } } }];
    const pods = spread.deployment(6, { topologySpreadConstraints: [constraint], containers });
    await spread.apply(spread.pool(), pods);
    await spread.eventuallyRunning(6);
    const counts: Record<string, number> = {};
    for (const zone of await spread.zonesOf()) counts[zone] = (counts[zone] ?? 0) + 1;
    expect(Object.values(counts)).toEqual([2, 2, 2]);
    await spread.nothingMoreIsLaunched();
  });

  scenario(world, "lonely", "pods that shun each other get a node each, and no more", async (lonely) => {
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "lonely" } } };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    await lonely.apply(lonely.pool(), lonely.deployment(3, { affinity }));
    await lonely.eventuallyRunning(3);
    await lonely.nothingMoreIsLaunched();
    expect(await lonely.nodes()).toHaveLength(3);
    expect(lonely.livingInstances()).toBe(3);
  });

  scenario(world, "daemons", "every node has room for its daemons, and they run on it", async (daemons) => {
    const labels = { app: "agent" };
    const agent = {
      ...{ apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent", namespace: "default" } },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            nodeSelector: { scenario: "daemons" },
            tolerations: [{ operator: "Exists" }],
            terminationGracePeriodSeconds: 1,
            containers: [{ name: "main", image: "none", resources: { requests: { cpu: "900m" } } }],
          },
        },
      },
    };
    await daemons.apply(daemons.pool(), agent, daemons.deployment(3));
    await daemons.eventuallyRunning(3);
    await daemons.nothingMoreIsLaunched();
    await daemons.eventuallyRunning((await daemons.nodes()).length, "agent");
  });
}
