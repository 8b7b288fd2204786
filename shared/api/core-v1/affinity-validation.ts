import { list } from "../shape/collection.ts";
import { object, optional, required } from "../shape/object.ts";
import { integer, oneOf, text } from "../shape/scalar.ts";
import { checked, type Rule, type Shape } from "../shape/shape.ts";
import { labelSelector } from "./meta-validation.ts";
import { dnsLabel, labelKey } from "./name-validation.ts";
import type {
  Affinity,
  NodeAffinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from "./pod.ts";

const operators = ["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"] as const;
const weight = integer(1, 100);

const valuesOfOperator: Rule<NodeSelectorRequirement> = ({ operator, values = [] }, note) => {
  if ((operator === "In" || operator === "NotIn") && values.length === 0) {
    note(`must have at least one value for operator ${operator}`, "values");
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
    note(`must be absent for operator ${operator}`, "values");
  }
  if ((operator === "Gt" || operator === "Lt") && values.length !== 1) {
    note(`must have exactly one value for operator ${operator}; has ${values.length}`, "values");
  }
};

const expression = checked(
  object<NodeSelectorRequirement>(
    {
      key: required(labelKey),
      operator: required(oneOf(operators)),
      values: optional(list(text())),
    },
    { others: [] },
  ),
  valuesOfOperator,
);

/** The only field of a node that can be asked for is its name. */
const fieldExpression = object<NodeSelectorRequirement>(
  {
    key: required(oneOf(["metadata.name"])),
    operator: required(oneOf(["In", "NotIn"])),
    values: required(list(text(), { min: 1, max: 1 })),
  },
  { others: [] },
);

const nodeSelectorTerm = object<NodeSelectorTerm>(
  {
    matchExpressions: optional(list(expression)),
    matchFields: optional(list(fieldExpression)),
  },
  { others: [] },
);

export const nodeSelector: Shape<{ readonly nodeSelectorTerms: readonly NodeSelectorTerm[] }> = object<{
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
}>({ nodeSelectorTerms: required(list(nodeSelectorTerm, { min: 1 })) }, { others: [] });

const nodeAffinity = object<NodeAffinity>(
  {
    requiredDuringSchedulingIgnoredDuringExecution: optional(nodeSelector),
    preferredDuringSchedulingIgnoredDuringExecution: optional(
      list(object({ weight: required(weight), preference: required(nodeSelectorTerm) }, { others: [] })),
    ),
  },
  { others: [] },
);

const podAffinityTerm = object<PodAffinityTerm>(
  {
    topologyKey: required(labelKey),
    labelSelector: optional(labelSelector),
    namespaces: optional(list(dnsLabel)),
    namespaceSelector: optional(labelSelector),
    matchLabelKeys: optional(list(labelKey)),
    mismatchLabelKeys: optional(list(labelKey)),
  },
  { others: [] },
);

const podAffinity = object<PodAffinity>(
  {
    requiredDuringSchedulingIgnoredDuringExecution: optional(list(podAffinityTerm)),
    preferredDuringSchedulingIgnoredDuringExecution: optional(
      list(object({ weight: required(weight), podAffinityTerm: required(podAffinityTerm) }, { others: [] })),
    ),
  },
  { others: [] },
);

export const affinity: Shape<Affinity> = object<Affinity>(
  {
    nodeAffinity: optional(nodeAffinity),
    podAffinity: optional(podAffinity),
    podAntiAffinity: optional(podAffinity),
  },
  { others: [] },
);

const policy = oneOf(["Honor", "Ignore"]);

const minDomainsIsHard: Rule<TopologySpreadConstraint> = ({ minDomains, whenUnsatisfiable }, note) => {
  if (minDomains !== undefined && whenUnsatisfiable !== "DoNotSchedule") {
    note("must be absent unless whenUnsatisfiable is DoNotSchedule", "minDomains");
  }
};

const matchLabelKeysNeedSelector: Rule<TopologySpreadConstraint> = (
  { matchLabelKeys = [], labelSelector: of },
  note,
) => {
  if (matchLabelKeys.length > 0 && of === undefined) note("must be absent without a labelSelector", "matchLabelKeys");
};

export const topologySpreadConstraints: Shape<readonly TopologySpreadConstraint[]> = list(
  object<TopologySpreadConstraint>(
    {
      maxSkew: required(integer(1)),
      topologyKey: required(labelKey),
      whenUnsatisfiable: required(oneOf(["DoNotSchedule", "ScheduleAnyway"])),
      labelSelector: optional(labelSelector),
      minDomains: optional(integer(1)),
      nodeAffinityPolicy: optional(policy),
      nodeTaintsPolicy: optional(policy),
      matchLabelKeys: optional(list(labelKey)),
    },
    { rules: [minDomainsIsHard, matchLabelKeysNeedSelector], others: [] },
  ),
  { key: (constraint) => `${constraint.topologyKey}, ${constraint.whenUnsatisfiable}` },
);
