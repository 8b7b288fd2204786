/**
 * Karpenter counterpart: pkg/providers/instance, getTenancyType. No difference: default where the claim allows it.
 */
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { allowsValue } from "#core/scheduling/requirements/requirement.ts";
import { requirementsOf } from "#core/scheduling/requirements/requirements.ts";
import { tenancyLabel } from "../labels.ts";

export function tenancyOf(claim: NodeClaim): "default" | "dedicated" {
  const wanted = requirementsOf(claim.spec.requirements).get(tenancyLabel);
  return wanted === undefined || allowsValue(wanted, "default") ? "default" : "dedicated";
}
