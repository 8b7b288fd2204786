import type { Deployment } from "#api/core-v1/workload.ts";

/** One ReplicaSet of a deployment: what it is asked for, and what it has. */
export interface ReplicaCount {
  readonly name: string;
  readonly wanted: number;
  readonly existing: number;
  readonly available: number;
}

export interface ReplicaScale {
  readonly name: string;
  readonly replicas: number;
}

interface Strategy {
  readonly type?: string;
  readonly rollingUpdate?: { readonly maxSurge?: number | string; readonly maxUnavailable?: number | string };
}

/** Kubernetes: both default to a quarter. */
const defaultShare = "25%";

/** How the ReplicaSets are to be scaled now, those that change only. `old` oldest first. */
export function rollout(
  deployment: Deployment,
  current: ReplicaCount,
  old: readonly ReplicaCount[],
): readonly ReplicaScale[] {
  const replicas = deployment.spec.replicas ?? 1;
  const strategy = (deployment.spec as { readonly strategy?: Strategy }).strategy ?? {};
  const alive = old.filter(({ wanted, existing }) => wanted > 0 || existing > 0);
  if (alive.length === 0) return changed([current], [{ name: current.name, replicas }]);
  if (strategy.type === "Recreate") return recreate(current, alive, replicas);
  return changed([current, ...alive], rollingScales(current, alive, replicas, strategy));
}

function recreate(current: ReplicaCount, old: readonly ReplicaCount[], replicas: number): readonly ReplicaScale[] {
  const gone = old.every(({ existing, wanted }) => existing === 0 && wanted === 0);
  return changed(
    [current, ...old],
    [...old.map(({ name }) => ({ name, replicas: 0 })), ...(gone ? [{ name: current.name, replicas }] : [])],
  );
}

/**
 * Up: never more than replicas + maxSurge in all. Down: never fewer available than replicas − maxUnavailable; replicas
 * that are not available go first, since they serve nobody.
 */
function rollingScales(
  current: ReplicaCount,
  old: readonly ReplicaCount[],
  replicas: number,
  strategy: Strategy,
): readonly ReplicaScale[] {
  const surge = shareOf(strategy.rollingUpdate?.maxSurge ?? defaultShare, replicas, Math.ceil);
  const given = shareOf(strategy.rollingUpdate?.maxUnavailable ?? defaultShare, replicas, Math.floor);
  const unavailable = surge === 0 && given === 0 ? 1 : given;
  const all = [current, ...old];
  const total = all.reduce((sum, { wanted }) => sum + wanted, 0);
  const up = Math.min(replicas, current.wanted + Math.max(0, replicas + surge - total));
  const minAvailable = replicas - unavailable;
  const notYet = Math.max(0, current.wanted - current.available);
  let removable = Math.max(0, total - minAvailable - notYet);
  const afterCleaning = old.map((set) => {
    const idle = Math.min(Math.max(0, set.wanted - set.available), removable);
    removable -= idle;
    return { ...set, wanted: set.wanted - idle };
  });
  const available = all.reduce((sum, set) => sum + set.available, 0);
  // What was scaled down already and still counts as available bounds it too.
  let spare = Math.max(0, Math.min(available - minAvailable, removable));
  const downs = afterCleaning.map((set) => {
    const less = Math.min(set.wanted, spare);
    spare -= less;
    return { name: set.name, replicas: set.wanted - less };
  });
  return [{ name: current.name, replicas: up }, ...downs];
}

/** An absolute number, or a percentage of `replicas` rounded by `round`. */
export function shareOf(share: number | string, replicas: number, round: (value: number) => number): number {
  if (typeof share === "number") return share;
  const percent = /^(\d+)%$/.exec(share)?.[1];
  return percent === undefined ? Number(share) || 0 : round((Number(percent) * replicas) / 100);
}

function changed(sets: readonly ReplicaCount[], scales: readonly ReplicaScale[]): readonly ReplicaScale[] {
  const wanted = new Map(sets.map((set) => [set.name, set.wanted]));
  return scales.filter(({ name, replicas }) => wanted.get(name) !== replicas);
}
