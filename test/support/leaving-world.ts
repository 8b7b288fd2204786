/** Claims and nodes on their way out, and the stages that see them off. */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { ago, claimOf, instanceOf, nowMs, statusOf } from "./lifecycle-samples.ts";
import { stagesNamed } from "./sample-stages.ts";
import { SmallWorld } from "./small-world.ts";

export const leavingStages = stagesNamed([
  "adoption",
  "termination",
  "finalization",
  "eviction-outcome",
  "state-housekeeping",
]);
type ClaimChange = NonNullable<Parameters<typeof claimOf>[1]>;

export function deletedClaim(change: ClaimChange = {}): NodeClaim {
  return claimOf("a", { status: statusOf("a", "initialized"), deletionTimestamp: ago(0), ...change });
}

export function worldWith(cluster: Partial<ClusterView>): SmallWorld {
  const world = new SmallWorld(nowMs, cluster);
  world.instances = [instanceOf("a")];
  return world;
}

export const claimIn = (world: SmallWorld) => world.get<NodeClaim>("NodeClaim", "a");
export const nodeIn = (world: SmallWorld) => world.get<Node>("Node", "node-a");
export const conditionIn = (world: SmallWorld, type: string) => {
  const found = claimIn(world)?.status?.conditions?.find((condition) => condition.type === type);
  return found === undefined ? undefined : `${found.status} ${found.reason}`;
};
export const kinds = (world: SmallWorld) => world.steps.map(({ command }) => command.kind);
export const evicted = (world: SmallWorld) =>
  world.steps.flatMap(({ command }) => (command.kind === "evict-pod" ? [command.target.name] : []));

/** Ticks each 5 s until the claim is gone; answers how many it took. */
export async function untilGone(world: SmallWorld, between: () => void = () => {}): Promise<number> {
  for (let ticks = 1; ticks <= 40; ticks++) {
    await world.tick(leavingStages);
    if (claimIn(world) === undefined) return ticks;
    world.atMs += 5_000;
    between();
  }
  throw new Error("the claim never went");
}
