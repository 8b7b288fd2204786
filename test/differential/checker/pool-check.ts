/** Rules over all claims of a NodePool: limits, minValues, reservations. */
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { Problem } from "../../../cli/solve/problem.ts";
import { type Amounts, amountsOf, larger, plus, shortage, total } from "./amounts.ts";
import type { Violation } from "./answer.ts";
import { podName } from "./claim-check.ts";
import type { Machine } from "./machines.ts";
import type { SettledClaim } from "./settled-claim.ts";
import type { StandingNode } from "./standing-nodes.ts";

export interface PoolVerdict {
  readonly claims: readonly SettledClaim[];
  readonly violations: readonly Violation[];
}

const oneNode: Amounts = new Map([["nodes", 1_000_000_000n]]);

/**
 * A claim counts as the largest machine that it may become. Where the sum is too much, the claims with the fewest pods
 * are the ones too many.
 */
export function checkLimits(
  problem: Problem,
  standing: readonly StandingNode[],
  claims: readonly SettledClaim[],
): PoolVerdict {
  const violations: Violation[] = [];
  const kept = new Set(claims);
  for (const pool of problem.nodePools) {
    const limits = amountsOf(pool.spec.limits);
    if (limits.size === 0) continue;
    const inPool = standing.filter((node) => node.pool === pool.metadata.name && !node.leaving);
    const used = total(inPool.map(({ capacity }) => plus(capacity, oneNode)));
    const own = claims.filter((claim) => claim.pool === pool.metadata.name && claim.machines.length > 0);
    const byWorth = [...own].sort((a, b) => b.pods.length - a.pods.length || (a.where < b.where ? -1 : 1));
    let sum = used;
    for (const claim of byWorth) {
      const next = plus(sum, largest(claim.machines));
      const over = shortage(onlyLimited(next, limits), limits);
      if (over === undefined) {
        sum = next;
        continue;
      }
      kept.delete(claim);
      const message = `NodePool ${pool.metadata.name} would exceed its limit of ${over}`;
      violations.push({ rule: "limits", pods: claim.pods.map(podName), where: claim.where, message });
    }
  }
  return { claims: claims.filter((claim) => kept.has(claim)), violations };
}

function onlyLimited(amounts: Amounts, limits: Amounts): Amounts {
  return new Map([...amounts].filter(([name]) => limits.has(name)));
}

function largest(machines: readonly Machine[]): Amounts {
  return plus(machines.map(({ capacity }) => capacity).reduce(larger, new Map()), oneNode);
}

/** At least so many distinct values of a label must stay possible; under BestEffort fewer are accepted. */
export function checkMinValues(problem: Problem, claims: readonly SettledClaim[]): PoolVerdict {
  if (problem.options.minValuesPolicy === "BestEffort") return { claims, violations: [] };
  const violations: Violation[] = [];
  const kept = claims.filter((claim) => {
    const pool = problem.nodePools.find(({ metadata }) => metadata.name === claim.pool);
    const message = pool === undefined ? undefined : tooFewValues(pool, claim.machines);
    if (message === undefined) return true;
    violations.push({ rule: "min-values", pods: claim.pods.map(podName), where: claim.where, message });
    return false;
  });
  return { claims: kept, violations };
}

function tooFewValues(pool: NodePool, machines: readonly Machine[]): string | undefined {
  for (const { key, minValues } of pool.spec.template.spec.requirements) {
    if (minValues === undefined) continue;
    const found = new Set(machines.flatMap(({ labels, open }) => open.get(key) ?? [labels[key]]));
    found.delete(undefined);
    if (found.size < minValues) return `${key}: ${found.size} values are possible, minValues is ${minValues}`;
  }
  return undefined;
}

/** Claims that can only be launched into a reservation need one with an instance left, each its own. */
export function checkReservations(problem: Problem, claims: readonly SettledClaim[]): PoolVerdict {
  const left = new Map<string, number>();
  const label = problem.options.reservationIDLabel;
  for (const { offerings } of problem.instanceTypes) {
    for (const { requirements, reservationCapacity } of offerings) {
      const id = requirements.find(({ key, operator }) => key === label && operator === "In")?.values?.[0];
      if (id !== undefined) left.set(id, Math.min(left.get(id) ?? Number.POSITIVE_INFINITY, reservationCapacity));
    }
  }
  const bound = claims.filter(
    ({ machines }) => machines.length > 0 && machines.every(({ reservation }) => reservation !== undefined),
  );
  const holders = new Map<string, SettledClaim[]>();
  const refused = bound.filter((claim) => !seat(claim, holders, left, new Set()));
  const violations = refused.map((claim): Violation => {
    const message = "no reservation that it may use has an instance left";
    return { rule: "reservations", pods: claim.pods.map(podName), where: claim.where, message };
  });
  return { claims: claims.filter((claim) => !refused.includes(claim)), violations };
}

/** Finds the claim a reservation, moving others along when they can go elsewhere. `tried` bounds the search. */
function seat(
  claim: SettledClaim,
  holders: Map<string, SettledClaim[]>,
  left: ReadonlyMap<string, number>,
  tried: Set<string>,
): boolean {
  for (const id of new Set(claim.machines.flatMap(({ reservation }) => reservation ?? []))) {
    if (tried.has(id)) continue;
    tried.add(id);
    const own = holders.get(id) ?? [];
    holders.set(id, own);
    const free = own.length < (left.get(id) ?? 0);
    const moved = free ? undefined : own.find((other) => seat(other, holders, left, tried));
    if (!free && moved === undefined) continue;
    if (moved !== undefined) own.splice(own.indexOf(moved), 1);
    own.push(claim);
    return true;
  }
  return false;
}
