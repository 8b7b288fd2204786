import type { Snapshot } from "#core/snapshot.ts";
import { stableHash } from "#core/stable-hash.ts";
import type { Configuration, Ports } from "./ports.ts";

/**
 * One look at the world. The cluster first, since its node classes say what to ask the cloud; an instance launched in
 * between is younger than every collection grace.
 */
export async function observe<Query, View>(
  ports: Ports<Query, View>,
  configuration: Configuration<Query, View>,
): Promise<Snapshot<View>> {
  const nowMs = ports.clock.nowMs();
  const cluster = await ports.cluster.observe("everything");
  const cloud = await ports.cloud.observe(configuration.provider.query(cluster, configuration.settings));
  return {
    nowMs,
    seed: configuration.seed,
    decisionId: `${nowMs.toString(36)}-${stableHash(`${configuration.settings.clusterName}/${configuration.seed}/${nowMs}`, 4)}`,
    settings: configuration.settings,
    cluster,
    cloud,
    steps: [],
  };
}
