import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import type { PatchState } from "#core/command.ts";
import type { MergePatch } from "#ports/raw-objects.ts";
import { configMapKind } from "./served-kinds.ts";
import { isKarpenterThere, type MigrationView, type Phase, phaseData, phaseOf } from "./view.ts";

/** Of the state as it was seen and of no later one: two who migrate at once do not undo each other's steps. */
export function phaseWrite(view: MigrationView, phase: Phase): MergePatch | PatchState {
  const { stateVersion } = view;
  const data = phaseData(phase, view);
  if (stateVersion === undefined) return { kind: "patch-state", data };
  return {
    ...{ kind: "merge-patch", resource: configMapKind, namespace: stateNamespace, name: stateName },
    body: { metadata: { resourceVersion: stateVersion }, data },
  };
}

/** Somebody else gives the cluster back meanwhile; undefined: nobody does. */
export function turnedBack(view: MigrationView): string | undefined {
  const phase = phaseOf(view);
  if (phase === "held" || phase === "shown" || phase === "on") return undefined;
  return "somebody gives the cluster back meanwhile (`outrigger migrate --back`): only one of the two can go on";
}

/** Somebody else takes the cluster over meanwhile. */
export function turnedForth(view: MigrationView): string | undefined {
  if (phaseOf(view) === "back") return undefined;
  return "somebody takes the cluster over meanwhile (`outrigger migrate`): only one of the two can go on";
}

/** Karpenter was scaled up again by another: Helm, a GitOps controller, a person. */
export function karpenterReturned(view: MigrationView): string | undefined {
  const { karpenter } = view;
  if (!isKarpenterThere(view)) return turnedBack(view);
  return scaledAgain(view) ?? `${karpenter[0]?.name ?? "Karpenter"} is there again: end it, then run this again`;
}

/** As `karpenterReturned`, while the last of its pods still end. */
export function scaledAgain(view: MigrationView): string | undefined {
  const back = view.deployments.find(({ replicas }) => replicas > 0);
  if (back === undefined) return turnedBack(view);
  const { namespace, name, replicas, replicasBy } = back;
  const by = replicasBy === undefined ? "" : `, by ${replicasBy}`;
  return `Deployment ${namespace}/${name} has ${replicas} replicas again${by}: ask for none there too (its chart: replicas=0), then run this again`;
}
