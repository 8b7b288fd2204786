/** The bins as claims again. Karpenter counterpart: none; it keeps the packing that it finds first. */
import type { Attempt } from "../attempt.ts";
import type { ClaimContext } from "../claims/claim-context.ts";
import { ClaimInWork } from "../claims/claim-in-work.ts";
import { nothingHeld } from "../instance-types/reservations.ts";
import type { Bin } from "./bin.ts";
import type { BinGroup } from "./bin-group.ts";
import type { Kind } from "./bin-lane.ts";

/** Those that did not change first, as they were. Undefined: a packing turned out not to be possible. */
export function improvedClaims(
  { placed, context }: Attempt,
  groups: readonly BinGroup[],
): readonly ClaimInWork[] | undefined {
  const changed = groups.filter((group) => group.changed);
  const kept = placed.flatMap(({ claim }) => (changed.some(({ claims }) => claims.has(claim)) ? [] : claim));
  const claims = [...kept];
  // So many pods of each kind were dealt.
  const dealt = new Map<Kind, number>();
  for (const bin of changed.flatMap(({ bins }) => bins)) {
    const claim = claimOf(bin, context, dealt);
    if (claim === undefined) return undefined;
    claims.push(claim);
  }
  return claims;
}

function claimOf({ loads, lane }: Bin, context: ClaimContext, dealt: Map<Kind, number>): ClaimInWork | undefined {
  const { pool, set, allowed, minValuesRelaxed } = lane.sample;
  const start = { set, allowed, profile: lane.profile, minValuesRelaxed, held: nothingHeld, price: 0 };
  const claim = new ClaimInWork(pool, start, context);
  for (const { kind, count } of loads) {
    const from = dealt.get(kind) ?? 0;
    // Each round adds pods or is the last: on one type after the other.
    for (let added = 0; added < count; ) {
      const fit = claim.fit(kind.step, set);
      const more = fit === undefined ? 0 : claim.add(fit, kind.step, kind.pods, from + added, count - added);
      if (more === 0) return undefined;
      added += more;
    }
    dealt.set(kind, from + count);
  }
  return claim;
}
