/**
 * Karpenter counterpart: pkg/apis/v1/nodepool_conversion.go of v1.0, disruption and expiry. It differs: consolidation
 * that was switched off (`consolidateAfter: Never` with WhenUnderutilized) stays off.
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import { given, type JsonObject } from "./json-fields.ts";
import type { Slot, SlotValue } from "./slot.ts";

const betaPolicy = "WhenUnderutilized";
const v1Policy = "WhenEmptyOrUnderutilized";

/** Disruption settings and the age at which a node goes, which is part of the template since v1. */
export const disruptionSlot: Slot = {
  name: "disruption",
  beta: [["spec", "disruption"]],
  v1: [
    ["spec", "disruption"],
    ["spec", "template", "spec", "expireAfter"],
  ],
  up: ({ disruption }) => (isJsonObject(disruption) ? upgraded(disruption) : given("disruption", disruption)),
  down: ({ disruption, expireAfter }) => downgraded(disruption, expireAfter),
};

function upgraded({ expireAfter, ...rest }: JsonObject): SlotValue {
  const policy = rest.consolidationPolicy;
  const isByUse = policy === betaPolicy || policy === undefined;
  const after = rest.consolidateAfter ?? (isByUse ? "0s" : undefined);
  const disruption = {
    ...rest,
    ...(policy === betaPolicy ? { consolidationPolicy: v1Policy } : {}),
    ...(after === undefined ? {} : { consolidateAfter: after }),
  };
  return { disruption, ...given("expireAfter", expireAfter) };
}

function downgraded(disruption: Json | undefined, expireAfter: Json | undefined): SlotValue {
  const expiry = given("expireAfter", expireAfter);
  if (disruption === undefined) return expireAfter === undefined ? {} : { disruption: expiry };
  if (!isJsonObject(disruption)) return { disruption };
  const { consolidationPolicy, consolidateAfter, budgets, ...rest } = disruption;
  const isWhenEmpty = consolidationPolicy === "WhenEmpty";
  const policy = consolidationPolicy === undefined || isWhenEmpty ? consolidationPolicy : betaPolicy;
  // v1beta1 takes no consolidateAfter beside WhenUnderutilized, except to switch it off.
  const keepsAfter = isWhenEmpty || consolidateAfter === "Never";
  return {
    disruption: {
      ...rest,
      ...given("consolidationPolicy", policy),
      ...given("consolidateAfter", keepsAfter ? consolidateAfter : undefined),
      ...given("budgets", Array.isArray(budgets) ? budgets.map(withoutReasons) : budgets),
      ...expiry,
    },
  };
}

/** A budget of one reason becomes a budget of all: fewer nodes may go, never more. */
function withoutReasons(budget: Json): Json {
  if (!isJsonObject(budget)) return budget;
  const { reasons: _, ...rest } = budget;
  return rest;
}
