import { list, map } from "../shape/collection.ts";
import { defaulted, dropped, type Field, object, optional, orEmpty, required } from "../shape/object.ts";
import { boolean, integer, oneOf, text } from "../shape/scalar.ts";
import { checked, type Rule, type Shape } from "../shape/shape.ts";
import { metaFields } from "./field-names.ts";
import type { LabelSelector, LabelSelectorRequirement, ObjectMeta, OwnerReference } from "./meta.ts";
import { dnsLabel, dnsSubdomainProblem, labelKey, labelKeyProblem, labelValue } from "./name-validation.ts";

export const labels: Shape<Readonly<Record<string, string>>> = map(labelValue, { wrongKey: labelKeyProblem });

/** Kubernetes checks the keys of annotations without regard to case, and leaves their values alone. */
export const annotations: Shape<Readonly<Record<string, string>>> = map(text(), {
  wrongKey: (key) => labelKeyProblem(key.toLowerCase()),
});

const ownerReference = object<OwnerReference>(
  {
    apiVersion: required(text({ min: 1 })),
    kind: required(text({ min: 1 })),
    name: required(text({ min: 1 })),
    uid: required(text({ min: 1 })),
    controller: optional(boolean),
    blockOwnerDeletion: optional(boolean),
  },
  { others: [] },
);

/** A name may still be missing when the API server is to make one from generateName. */
const named: Rule<ObjectMeta> = ({ name, generateName }, note) => {
  if (name === "") {
    if ((generateName ?? "") === "") note("is required", "name");
    return;
  }
  const problem = dnsSubdomainProblem(name);
  if (problem !== undefined) note(problem, "name");
};

function meta(namespace: Field<string, "defaulted" | "dropped">): Shape<ObjectMeta> {
  return object<ObjectMeta>(
    {
      name: defaulted(text({ expects: "a text (put a number in quotes)" }), ""),
      namespace,
      generateName: orEmpty(text()),
      uid: optional(text()),
      resourceVersion: optional(text()),
      generation: optional(integer()),
      creationTimestamp: optional(text()),
      deletionTimestamp: optional(text()),
      deletionGracePeriodSeconds: optional(integer()),
      labels: optional(labels),
      annotations: optional(annotations),
      finalizers: optional(list(text({ min: 1 }))),
      ownerReferences: optional(list(ownerReference)),
    },
    { rules: [named], others: metaFields },
  );
}

const head = { apiVersion: required(text()), kind: required(text()) };

/** apiVersion, kind and metadata of an object in a namespace; without one it is in `default`. */
export const namespacedObject = { ...head, metadata: required(meta(defaulted(dnsLabel, "default"))) };

/** The same outside namespaces: the API server drops a namespace given there. */
export const clusterObject = { ...head, metadata: required(meta(dropped)) };

const selectorOperators = ["In", "NotIn", "Exists", "DoesNotExist"] as const;

const selectorValues: Rule<LabelSelectorRequirement> = ({ operator, values = [] }, note) => {
  const listed = operator === "In" || operator === "NotIn";
  if (listed && values.length === 0) note(`must have at least one value for operator ${operator}`, "values");
  if (!listed && values.length > 0) note(`must be absent for operator ${operator}`, "values");
};

export const labelSelector: Shape<LabelSelector> = object<LabelSelector>(
  {
    matchLabels: optional(labels),
    matchExpressions: optional(
      list(
        checked(
          object<LabelSelectorRequirement>(
            {
              key: required(labelKey),
              operator: required(oneOf(selectorOperators)),
              values: optional(list(text())),
            },
            { others: [] },
          ),
          selectorValues,
        ),
      ),
    ),
  },
  { others: [] },
);
