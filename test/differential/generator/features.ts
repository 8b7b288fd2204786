import type { Random } from "./random.ts";

/** What a problem exercises beyond pods, pools and types. */
export const features = [
  "node-selector",
  "node-affinity",
  "or-terms",
  "preferred-node-affinity",
  "zone-spread",
  "host-spread",
  "other-spread",
  "spread-policies",
  "schedule-anyway",
  "affinity",
  "anti-affinity",
  "preferred-pod-affinity",
  "namespaces",
  "host-ports",
  "volumes",
  "devices",
  "odd-requests",
  "pool-requirements",
  "pool-labels",
  "taints",
  "prefer-taints",
  "numeric-tolerations",
  "limits",
  "min-values",
  "daemons",
  "choosy-daemons",
  "nodes",
  "foreign-nodes",
  "unready-nodes",
  "launched-claims",
  "leaving-nodes",
  "disruption-budgets",
  "sold-out",
  "reserved",
  "best-effort",
  "ignore-preferences",
] as const;
export type Feature = (typeof features)[number];

/** Needs another one to have a meaning. */
const implied: Partial<Readonly<Record<Feature, Feature>>> = {
  "spread-policies": "zone-spread",
  "or-terms": "node-affinity",
  "choosy-daemons": "daemons",
  "leaving-nodes": "nodes",
  "unready-nodes": "nodes",
  "disruption-budgets": "leaving-nodes",
  "prefer-taints": "taints",
  "numeric-tolerations": "taints",
  "best-effort": "min-values",
};

/** One feature in focus, in turn, and a few others: alone each is easy, together they interact. */
export function chosenFeatures(seed: number, random: Random): ReadonlySet<Feature> {
  const focus = features[seed % features.length] ?? "zone-spread";
  const density = random.pick([0.03, 0.1, 0.2, 0.35]);
  const chosen = new Set<Feature>([focus, ...features.filter((one) => one !== "reserved" && random.chance(density))]);
  for (const one of [...chosen]) {
    for (let next = implied[one]; next !== undefined; next = implied[next]) chosen.add(next);
  }
  return chosen;
}
