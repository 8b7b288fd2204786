import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Command } from "#core/command.ts";
import type { Instance } from "#core/instance.ts";
import { type ObjectKind, objectName } from "#core/object-ref.ts";
import type { Step } from "#core/outcome.ts";
import type { ClusterView, Snapshot } from "#core/snapshot.ts";
import { stateAfter } from "#core/state/state-patch.ts";

/** The lists that commands can change. */
const listOf = {
  Pod: "pods",
  Node: "nodes",
  NodeClaim: "nodeClaims",
  NodePool: "nodePools",
  NodeClass: "nodeClasses",
} as const satisfies Partial<Record<ObjectKind, keyof ClusterView>>;
type FoldedKind = keyof typeof listOf;

/** The snapshot that the next stage sees: the world as these steps left it, with the steps themselves. */
export function fold<View>(snapshot: Snapshot<View>, steps: readonly Step[]): Snapshot<View> {
  if (steps.length === 0) return snapshot;
  return {
    ...snapshot,
    cluster: foldCluster(snapshot.cluster, steps),
    cloud: { ...snapshot.cloud, instances: foldInstances(snapshot.cloud.instances, steps) },
    steps: [...snapshot.steps, ...steps],
  };
}

function foldCluster(cluster: ClusterView, steps: readonly Step[]): ClusterView {
  const changed = new Map<FoldedKind, Map<string, KubeObject | undefined>>();
  let state = cluster.state;
  for (const { command, outcome } of steps) {
    if (outcome.kind !== "done") continue;
    if (command.kind === "patch-state") {
      state = stateAfter(state, [command]);
      continue;
    }
    const target = targetOf(command);
    if (target === undefined || !(target.kind in listOf)) continue;
    // An eviction answers no object: the pod is on its way out and stays in view until the next look.
    if (command.kind === "evict-pod" && outcome.object === undefined) continue;
    const kind = target.kind as FoldedKind;
    const objects = changed.get(kind) ?? new Map<string, KubeObject | undefined>();
    objects.set(objectName(target), outcome.object);
    changed.set(kind, objects);
  }
  const lists = [...changed].map(([kind, objects]) => {
    const list: readonly KubeObject[] = cluster[listOf[kind]];
    return [listOf[kind], replaced(list, objects)];
  });
  return { ...cluster, ...Object.fromEntries(lists), state };
}

function targetOf(command: Command): { kind: ObjectKind; name: string; namespace?: string } | undefined {
  if (command.kind === "create-node-claim") return { kind: "NodeClaim", name: command.nodeClaim.metadata.name };
  return "target" in command ? command.target : undefined;
}

function replaced(
  list: readonly KubeObject[],
  changes: ReadonlyMap<string, KubeObject | undefined>,
): readonly KubeObject[] {
  const kept = list.filter((object) => !changes.has(objectName(object.metadata)));
  const added = [...changes.values()].filter((object) => object !== undefined);
  return [...kept, ...added].sort((a, b) => (objectName(a.metadata) < objectName(b.metadata) ? -1 : 1));
}

function foldInstances(instances: readonly Instance[], steps: readonly Step[]): readonly Instance[] {
  const byId = new Map(instances.map((instance) => [instance.id, instance]));
  for (const { command, outcome } of steps) {
    if (outcome.kind !== "done") continue;
    if (outcome.instance !== undefined) byId.set(outcome.instance.id, outcome.instance);
    else if (command.kind === "terminate-instance") byId.delete(command.instanceId);
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}
