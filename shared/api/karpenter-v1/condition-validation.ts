import type { Condition } from "../core-v1/meta.ts";
import { list } from "../shape/collection.ts";
import { defaulted, object, optional, required } from "../shape/object.ts";
import { integer, oneOf, text } from "../shape/scalar.ts";
import type { Shape } from "../shape/shape.ts";
import { dateTime } from "./template-validation.ts";

const type = required(
  text({
    max: 316,
    pattern:
      /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/,
    expects: "a condition type such as Ready",
  }),
);
const shared = {
  type,
  status: required(oneOf(["True", "False", "Unknown"])),
  lastTransitionTime: required(dateTime),
  observedGeneration: optional(integer(0)),
};

const reasonLimits = { max: 1_024, expects: "a reason in one word such as Launched" };
const message = text({ max: 32_768 });

export const conditions: Shape<readonly Condition[]> = list(
  object<Condition>({
    ...shared,
    reason: required(text({ ...reasonLimits, min: 1, pattern: /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/ })),
    message: required(message),
  }),
  { key: (condition) => condition.type },
);

/** Karpenter: the conditions of a NodeClaim may lack reason and message, because old objects do. */
export const nodeClaimConditions: Shape<readonly Condition[]> = list(
  object<Condition>({
    ...shared,
    reason: defaulted(text({ ...reasonLimits, pattern: /^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?)?$/ }), ""),
    message: defaulted(message, ""),
  }),
  { key: (condition) => condition.type },
);
