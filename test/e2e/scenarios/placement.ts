import { expect, test } from "vitest";
import { deployment, nodePool, type World } from "../support/world.ts";

/** What was planned is what the real scheduler does. */
export function placement(world: () => World): void {
  test("spread over zones is bound by the real scheduler where the plan expected it", async () => {
    const constraint = {
      ...{ maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "DoNotSchedule" },
      labelSelector: { matchLabels: { app: "spread" } },
    };
    await world().apply(
      nodePool("spread"),
      deployment("spread", "spread", 6, { topologySpreadConstraints: [constraint] }),
    );
    await world().eventuallyRunning("spread", 6);
    const zoneOf = new Map(
      (await world().nodes()).map(({ metadata }) => [metadata.name, metadata.labels?.["topology.kubernetes.io/zone"]]),
    );
    const counts: Record<string, number> = {};
    for (const pod of await world().pods("spread")) {
      const zone = zoneOf.get(pod.spec.nodeName ?? "") ?? "";
      counts[zone] = (counts[zone] ?? 0) + 1;
    }
    expect(Object.values(counts)).toEqual([2, 2, 2]);
  });

  test("pods that shun each other get a node each, and no more", async () => {
    const term = { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app: "lonely" } } };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    await world().apply(nodePool("lonely"), deployment("lonely", "lonely", 3, { affinity }));
    await world().eventuallyRunning("lonely", 3);
    expect(await world().nodes()).toHaveLength(3);
    expect(world().livingInstances()).toBe(3);
  });
}
