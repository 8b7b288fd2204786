/**
 * Karpenter counterpart: pkg/apis/v1/nodepool_conversion.go and nodeclaim_conversion.go of v1.0. It differs: a claim of
 * v1beta1 never expires by itself, since its age limit is its pool's, which a conversion does not see.
 */
import type { Json } from "../core-v1/meta.ts";
import { isJsonObject } from "../problem.ts";
import { disruptionSlot } from "./disruption-slot.ts";
import { type FieldSteps, given } from "./json-fields.ts";
import type { Slot, SlotValue } from "./slot.ts";

export const betaKubeletAnnotation = "compatibility.karpenter.sh/v1beta1-kubelet-conversion";
const betaNodeClassAnnotation = "compatibility.karpenter.sh/v1beta1-nodeclass-reference";

const template: FieldSteps = ["spec", "template", "spec"];

/** The kubelet's settings, which moved to the node class. */
function kubeletSlot(spec: FieldSteps): Slot {
  return {
    name: "kubelet",
    beta: [[...spec, "kubelet"]],
    v1: [],
    up: () => ({}),
    down: () => ({}),
    betaAnnotation: betaKubeletAnnotation,
  };
}

function nodeClassSlot(spec: FieldSteps): Slot {
  return {
    name: "node-class",
    beta: [[...spec, "nodeClassRef"]],
    v1: [[...spec, "nodeClassRef"]],
    up: ({ nodeClassRef }) => onObject("nodeClassRef", nodeClassRef, upgradedRef),
    down: ({ nodeClassRef }) => onObject("nodeClassRef", nodeClassRef, downgradedRef),
    betaAnnotation: betaNodeClassAnnotation,
  };
}

function upgradedRef({ apiVersion, group, kind, ...rest }: SlotValue): SlotValue {
  const named = typeof apiVersion === "string" ? apiVersion.split("/")[0] : undefined;
  return { group: group ?? named ?? "karpenter.k8s.aws", kind: kind ?? "EC2NodeClass", ...rest };
}

function downgradedRef({ group, ...rest }: SlotValue): SlotValue {
  return typeof group === "string" ? { apiVersion: `${group}/v1beta1`, ...rest } : rest;
}

/** v1beta1 has no Gte and no Lte; for whole numbers Gt and Lt say the same. */
function requirementsSlot(spec: FieldSteps): Slot {
  return {
    name: "requirements",
    beta: [[...spec, "requirements"]],
    v1: [[...spec, "requirements"]],
    up: (value) => value,
    down: ({ requirements }) =>
      given("requirements", Array.isArray(requirements) ? requirements.map(downgradedRequirement) : requirements),
  };
}

const strictOperators: Readonly<Record<string, { readonly operator: string; readonly step: number }>> = {
  Gte: { operator: "Gt", step: -1 },
  Lte: { operator: "Lt", step: 1 },
};

function downgradedRequirement(requirement: Json): Json {
  if (!isJsonObject(requirement) || typeof requirement.operator !== "string") return requirement;
  const strict = strictOperators[requirement.operator];
  const bound = Array.isArray(requirement.values) ? Number(requirement.values[0]) : Number.NaN;
  if (strict === undefined || !Number.isSafeInteger(bound + strict.step)) return requirement;
  return { ...requirement, operator: strict.operator, values: [String(bound + strict.step)] };
}

/** Fields that v1beta1 does not have. */
export function newFieldsSlot(spec: FieldSteps, names: readonly string[]): Slot {
  return {
    name: "fields",
    beta: [],
    v1: names.map((name) => [...spec, name]),
    up: () => ({}),
    down: () => ({}),
  };
}

const claimLifetime: Slot = {
  name: "lifetime",
  beta: [],
  v1: [
    ["spec", "expireAfter"],
    ["spec", "terminationGracePeriod"],
  ],
  up: () => ({ expireAfter: "Never" }),
  down: () => ({}),
};

export const nodePoolSlots: readonly Slot[] = [
  disruptionSlot,
  kubeletSlot(template),
  nodeClassSlot(template),
  requirementsSlot(template),
  newFieldsSlot(template, ["terminationGracePeriod"]),
  { ...newFieldsSlot(["spec"], ["replicas"]), name: "replicas" },
];

export const nodeClaimSlots: readonly Slot[] = [
  kubeletSlot(["spec"]),
  nodeClassSlot(["spec"]),
  requirementsSlot(["spec"]),
  claimLifetime,
];

function onObject(name: string, value: Json | undefined, change: (object: SlotValue) => SlotValue): SlotValue {
  return given(name, isJsonObject(value) ? change(value) : value);
}
