/** The fields that a NodePool's template and a NodeClaim share. */
import type { Taint } from "../core-v1/pod.ts";
import { list } from "../shape/collection.ts";
import { object, optional, required } from "../shape/object.ts";
import { oneOf, text } from "../shape/scalar.ts";
import type { Shape } from "../shape/shape.ts";
import type { NodeClassReference } from "./nodepool.ts";
import { qualifiedName } from "./patterns.ts";

/** Karpenter: nodes are replaced after 30 days. */
export const defaultExpireAfter = "720h";

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const;

/** RFC 3339, as the `date-time` format of a CRD checks it. */
export const dateTime: Shape<string> = text({
  pattern: /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/,
  expects: "a time such as 2026-01-31T12:00:00Z",
});

export const taints: Shape<readonly Taint[]> = list(
  object<Taint>(
    {
      key: required(qualifiedName({ min: 1 })),
      value: optional(qualifiedName()),
      effect: required(oneOf(taintEffects)),
      timeAdded: optional(dateTime),
    },
    { complete: true },
  ),
);

export const nodeClassRef: Shape<NodeClassReference> = object<NodeClassReference>(
  {
    group: required(
      text({ min: 1, pattern: /^[^/]*$/, expects: "an API group without a version such as karpenter.k8s.aws" }),
    ),
    kind: required(text({ min: 1, expects: "a kind such as EC2NodeClass" })),
    name: required(text({ min: 1, expects: "the name of a node class" })),
  },
  { complete: true },
);
