import { isPaused } from "#core/state/pause.ts";
import { isKarpenterThere, type MigrationView, phaseOf } from "./view.ts";

/** Who looks after the cluster now, and what a person does to have it otherwise: for whoever stops on the way. */
export function standing(view: Pick<MigrationView, "nowMs" | "deployments" | "karpenter" | "state">): string {
  const { deployments, karpenter } = view;
  const isHeld = isPaused(view.state, view.nowMs);
  const isLeading = karpenter.some(({ isAlive }) => isAlive);
  const isWanted = deployments.some(({ replicas }) => replicas > 0);
  const again = "`outrigger migrate` goes on, `outrigger migrate --back` gives it back to Karpenter (both with --yes)";
  if (isLeading && isWanted) return `Karpenter runs this cluster${isHeld ? ", and Outrigger is held" : ""}.`;
  if (isLeading) return `Karpenter is about to end, and Outrigger is held: ${again}.`;
  if (isKarpenterThere(view))
    return `Karpenter has no leader yet, and nobody scales this cluster until it has: ${again}.`;
  if (isHeld) return `Nobody scales this cluster now, Karpenter is at none and Outrigger is held: ${again}.`;
  return phaseOf(view) === "on"
    ? "Outrigger runs this cluster."
    : "No Karpenter runs in this cluster, and Outrigger was not held by a migration.";
}
