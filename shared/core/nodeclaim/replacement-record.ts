/**
 * Karpenter counterpart: pkg/controllers/disruption/queue.go, the commands in its queue. It differs: the queue is what the
 * replacements themselves carry, so that any later process knows which nodes wait for which claims.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import { decisionAnnotation, disruptionAnnotation, replacesAnnotation } from "#api/outrigger-names.ts";
import { parseTime } from "#api/time.ts";
import { byKey } from "../order.ts";
import { isDeleting } from "./managed.ts";

/** What a replacement says of the command that it belongs to. */
export interface ReplacementRecord {
  readonly reason: DisruptionReason;
  /** Claims of the command. */
  readonly count: number;
  /** For drift: its digest (drift-damping.ts), and how many replacements in a row were made for it, this one included. */
  readonly cure?: { readonly digest: string; readonly generation: number };
}

const reasons: readonly DisruptionReason[] = ["Drifted", "Empty", "Underutilized"];

/** `replaced`: names of claims. */
export function replacementAnnotations(
  record: ReplacementRecord,
  replaced: readonly string[],
): Readonly<Record<string, string>> {
  const { reason, count, cure } = record;
  const cureText = cure === undefined ? "" : ` ${cure.generation}.${cure.digest}`;
  return { [disruptionAnnotation]: `${reason} ${count}${cureText}`, [replacesAnnotation]: replaced.join(",") };
}

/** Undefined for a claim that replaces none, and for a text that cannot be read. */
export function replacementRecord(claim: NodeClaim): ReplacementRecord | undefined {
  const text = claim.metadata.annotations?.[disruptionAnnotation] ?? "";
  const match = /^([A-Za-z]{1,20}) (\d{1,3})(?: (\d{1,6})\.([0-9a-z]{1,12}))?$/.exec(text);
  const reason = reasons.find((one) => one === match?.[1]);
  if (reason === undefined) return undefined;
  const [, , count, generation, digest] = match ?? [];
  return {
    reason,
    count: Number(count),
    ...(digest === undefined ? {} : { cure: { digest, generation: Number(generation) } }),
  };
}

function replacedNames(claim: NodeClaim): readonly string[] {
  const text = claim.metadata.annotations?.[replacesAnnotation] ?? "";
  return text.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

/** Names of the claims that go as soon as their replacements are there. */
export function claimsBeingReplaced(claims: readonly NodeClaim[]): ReadonlySet<string> {
  const named = claims.filter((claim) => !isDeleting(claim) && replacementRecord(claim) !== undefined);
  return new Set(named.flatMap(replacedNames));
}

/** A command that was begun and is not over. */
export interface ReplacementInFlight {
  readonly record: ReplacementRecord;
  /** By name; those that are not being deleted. At least one. */
  readonly candidates: readonly NodeClaim[];
  /** As many as there should be, unless some are gone or going. */
  readonly replacements: readonly NodeClaim[];
  readonly sinceMs: number;
}

/** The commands of which a replacement and a candidate are there, by their decisions' names. */
export function replacementsInFlight(claims: readonly NodeClaim[], nowMs: number): readonly ReplacementInFlight[] {
  const byName = new Map(claims.map((claim) => [claim.metadata.name, claim]));
  const groups = new Map<string, NodeClaim[]>();
  for (const claim of claims) {
    if (isDeleting(claim) || replacementRecord(claim) === undefined) continue;
    const key = commandOf(claim);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [claim]);
    else group.push(claim);
  }
  return [...groups.entries()]
    .sort(byKey(([key]) => key))
    .flatMap(([, replacements]): readonly ReplacementInFlight[] => {
      const [first] = replacements;
      const record = first === undefined ? undefined : replacementRecord(first);
      const names = [...new Set(replacements.flatMap(replacedNames))].sort();
      const candidates = names.flatMap((name) => byName.get(name) ?? []).filter((claim) => !isDeleting(claim));
      if (record === undefined || candidates.length === 0) return [];
      const times = replacements.map(({ metadata }) => parseTime(metadata.creationTimestamp) ?? nowMs);
      return [{ record, candidates, replacements, sinceMs: Math.min(...times) }];
    });
}

/** The decision, without the claim's place in it: claims of one command share it. */
function commandOf({ metadata }: NodeClaim): string {
  const decision = metadata.annotations?.[decisionAnnotation] ?? "";
  return decision === "" ? metadata.name : decision.replace(/\/\d{1,6}$/, "");
}
