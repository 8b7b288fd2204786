import type { Snapshot } from "#core/snapshot.ts";
import { stableHash } from "#core/stable-hash.ts";
import type { Brain, Ports } from "./ports.ts";

/**
 * One look at the world. The cluster first, since its node classes say what to ask the cloud; an instance launched in
 * between is younger than every collection grace.
 */
export async function observe<Query, View>(
  ports: Ports<Query, View>,
  brain: Brain<Query, View>,
): Promise<Snapshot<View>> {
  const nowMs = ports.clock.nowMs();
  const cluster = await ports.cluster.observe("everything");
  const cloud = await ports.cloud.observe(brain.provider.query(cluster, brain.settings));
  return {
    nowMs,
    seed: brain.seed,
    decisionId: `${nowMs.toString(36)}-${stableHash(`${brain.settings.clusterName}/${brain.seed}/${nowMs}`, 4)}`,
    settings: brain.settings,
    cluster,
    cloud,
    steps: [],
  };
}
