/**
 * Karpenter counterpart: none; its caches drop what is over by themselves. Here one stage takes the facts that say
 * nothing any more out of the state ConfigMap, whoever wrote them.
 */
import { nothing } from "../decision.ts";
import type { ClusterView } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { type KeyFamily, type KeyFamilyName, keyFamilies } from "./key-families.ts";
import { statePatches } from "./state-patch.ts";

export const stateHousekeeping: Stage = {
  name: "state-housekeeping",
  decide: ({ cluster, nowMs }) => {
    const names = Object.keys(keyFamilies) as readonly KeyFamilyName[];
    const commands = names.flatMap((name) => {
      const over = overKeys(keyFamilies[name], cluster, nowMs);
      return statePatches(name, cluster.state, Object.fromEntries(over.map((key) => [key, null])));
    });
    return commands.length === 0 ? nothing : { commands, reasons: [] };
  },
};

function overKeys({ prefix, overAtMs, goesWith }: KeyFamily, cluster: ClusterView, nowMs: number): readonly string[] {
  const owners = goesWith === undefined ? undefined : ownersOf(goesWith, cluster);
  return Object.entries(cluster.state)
    .filter(([key, value]) => {
      const isOrphan = owners !== undefined && !owners.has(key.slice(prefix.length));
      return key.startsWith(prefix) && (isOrphan || nowMs > overAtMs(value));
    })
    .map(([key]) => key);
}

/** What the keys of a family may end in: UIDs, of unreadable objects too, and the names of objects without one. */
function ownersOf(list: "nodes" | "nodePools", { problems, ...lists }: ClusterView): ReadonlySet<string> {
  const readable = lists[list].map(({ metadata }) => metadata.uid ?? metadata.name);
  return new Set([...readable, ...problems.map(({ ref }) => ref.uid ?? ref.name)]);
}
