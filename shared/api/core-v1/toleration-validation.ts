import { list } from "../shape/collection.ts";
import { object, optional, orEmpty, required } from "../shape/object.ts";
import { integer, oneOf, text } from "../shape/scalar.ts";
import type { Rule, Shape } from "../shape/shape.ts";
import { labelKey, labelValue } from "./name-validation.ts";
import type { Taint, Toleration } from "./pod.ts";

const effect = oneOf(["NoSchedule", "PreferNoSchedule", "NoExecute"]);

const consistent: Rule<Toleration> = ({ key, operator = "Equal", value = "", effect: of, tolerationSeconds }, note) => {
  if (key === undefined && operator !== "Exists") note("must be Exists when key is empty", "operator");
  if (operator === "Exists" && value !== "") note("must be empty for operator Exists", "value");
  if ((operator === "Lt" || operator === "Gt") && !/^-?[0-9]+$/.test(value)) {
    note(`must be a whole number for operator ${operator}`, "value");
  }
  if (tolerationSeconds !== undefined && of !== "NoExecute") {
    note('must be "NoExecute" when tolerationSeconds is set', "effect");
  }
};

export const tolerations: Shape<readonly Toleration[]> = list(
  object<Toleration>(
    {
      key: orEmpty(labelKey),
      operator: orEmpty(oneOf(["Exists", "Equal", "Lt", "Gt"])),
      value: orEmpty(text()),
      effect: orEmpty(effect),
      tolerationSeconds: optional(integer()),
    },
    { rules: [consistent], others: [] },
  ),
);

/** Taints of a node; on karpenter.sh's kinds the CRDs have rules of their own. */
export const nodeTaints: Shape<readonly Taint[]> = list(
  object<Taint>(
    {
      key: required(labelKey),
      value: orEmpty(labelValue),
      effect: required(effect),
      timeAdded: optional(text()),
    },
    { others: [] },
  ),
  { key: (taint) => `${taint.key}:${taint.effect}` },
);
