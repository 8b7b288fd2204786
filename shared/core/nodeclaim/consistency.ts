/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/consistency. It differs: it looks at every tick, not every ten minutes,
 * and writes only when its answer changes.
 */
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { parseQuantity } from "#api/quantity.ts";
import { type ConditionChange, conditionOf } from "../condition.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import { consistentStateFound } from "./conditions.ts";

/** Karpenter: a node that has less than this share of what its claim was promised is another machine than was meant. */
const shareMin = 0.9;

/** The condition ConsistentStateFound of an initialized claim: whether its node, if there is one, has what was asked for. */
export function consistencyOf(claim: NodeClaim, node: Node | undefined): readonly ConditionChange[] {
  return node === undefined ? [] : [judged(claim, node)];
}

function judged(claim: NodeClaim, node: Node): ConditionChange {
  const missing = Object.keys(claim.spec.resources?.requests ?? {})
    .sort()
    .flatMap((resource) => shortage(claim, node, resource) ?? []);
  if (missing.length === 0) return { type: consistentStateFound, status: "True" };
  const message = `Node ${node.metadata.name} has ${missing.join(", ")}`;
  return { type: consistentStateFound, status: "False", reason: "ConsistencyCheckFailed", message };
}

export function consistencyReasons(claim: NodeClaim, change: ConditionChange): readonly Reason[] {
  const before = conditionOf(claim, consistentStateFound)?.status;
  if (change.status === "True" && (before === undefined || before === "True")) return [];
  const about = refOf("NodeClaim", claim);
  return change.status === "True"
    ? [{ about, code: "claim-consistent", message: "Its node has what was asked for" }]
    : [
        {
          about,
          code: "claim-inconsistent",
          message: change.message ?? "",
          event: { type: "Warning", reason: "FailedConsistencyCheck" },
        },
      ];
}

function shortage(claim: NodeClaim, node: Node, resource: string): string | undefined {
  const expected = claim.status?.capacity?.[resource];
  const has = node.status?.capacity?.[resource] ?? "0";
  const share = Number(nanoOf(has)) / Number(nanoOf(expected));
  // Nothing was promised, or all of nothing is there.
  if (expected === undefined || Number.isNaN(share) || share >= shareMin) return undefined;
  return `${has} of the resource ${resource} where ${expected} was expected (${(100 * share).toFixed(1)} %)`;
}

function nanoOf(text: string | undefined): bigint {
  return text === undefined ? 0n : (parseQuantity(text)?.nano ?? 0n);
}
