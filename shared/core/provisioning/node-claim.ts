/**
 * Karpenter counterpart: pkg/controllers/provisioning/scheduling/nodeclaimtemplate.go, ToNodeClaim. It differs: the name
 * is made from the decision, so that deciding the same twice creates one claim; the claim names the decision and, when
 * it takes over pods of nodes that are going away, their claims.
 */
import {
  apiVersion,
  capacityTypeLabel,
  instanceTypeLabel,
  minValuesRelaxedAnnotation,
  nodePoolHashAnnotation,
  nodePoolHashVersionAnnotation,
  terminationFinalizer,
} from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { maxRequirements } from "#api/karpenter-v1/requirement-validation.ts";
import { decisionAnnotation, expectedPodsAnnotation, replacesAnnotation } from "#api/outrigger-names.ts";
import { nodePoolHash, nodePoolHashVersion } from "../nodepool/hash.ts";
import { claimLabels } from "../scheduling/candidate-pool.ts";
import { expectedPodsText } from "../scheduling/expected-pods.ts";
import { specsOf } from "../scheduling/requirement-text.ts";
import { specsOfRequirements } from "../scheduling/requirements.ts";
import { resourceListOf } from "../scheduling/resources.ts";
import type { PlannedClaim } from "../scheduling/solution.ts";
import { stableHash } from "../stable-hash.ts";
import { customLabels } from "./custom-labels.ts";

export interface ClaimContext {
  readonly decisionId: string;
  readonly nodeClassLabel: string;
  readonly isWellKnown: (key: string) => boolean;
}

/** `index`: the claim's place in the decision; `replaces`: names of claims, sorted. */
export function nodeClaimOf(
  planned: PlannedClaim,
  index: number,
  replaces: readonly string[],
  context: ClaimContext,
): NodeClaim {
  const { nodePool } = planned;
  const { spec, metadata } = nodePool.spec.template;
  const labels = {
    ...claimLabels(nodePool, context.nodeClassLabel),
    ...customLabels(planned.requirements, context.isWellKnown),
  };
  const decision = `${context.decisionId}/${index}`;
  return {
    apiVersion,
    kind: "NodeClaim",
    metadata: {
      name: `${nodePool.metadata.name}-${stableHash(decision, 8)}`,
      labels,
      annotations: {
        ...metadata?.annotations,
        [nodePoolHashAnnotation]: nodePoolHash(nodePool),
        [nodePoolHashVersionAnnotation]: nodePoolHashVersion,
        [minValuesRelaxedAnnotation]: String(planned.minValuesRelaxed),
        [decisionAnnotation]: decision,
        [expectedPodsAnnotation]: expectedPodsText(planned.pods),
        ...(replaces.length === 0 ? {} : { [replacesAnnotation]: replaces.join(",") }),
      },
      finalizers: [terminationFinalizer],
      ownerReferences: [
        {
          apiVersion: nodePool.apiVersion,
          kind: nodePool.kind,
          name: nodePool.metadata.name,
          uid: nodePool.metadata.uid ?? "",
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      requirements: claimRequirements(planned, labels),
      nodeClassRef: spec.nodeClassRef,
      ...(spec.taints === undefined ? {} : { taints: spec.taints }),
      ...(spec.startupTaints === undefined ? {} : { startupTaints: spec.startupTaints }),
      resources: { requests: resourceListOf(planned.requests) },
      expireAfter: spec.expireAfter,
      ...(spec.terminationGracePeriod === undefined ? {} : { terminationGracePeriod: spec.terminationGracePeriod }),
    },
  };
}

/** The CRD admits 100 items; beyond them those go first that the claim's labels say already. */
function claimRequirements(
  planned: PlannedClaim,
  labels: Readonly<Record<string, string>>,
): readonly RequirementSpec[] {
  const rest = new Map(planned.requirements);
  const types = rest.get(instanceTypeLabel);
  const capacity = rest.get(capacityTypeLabel);
  rest.delete(instanceTypeLabel);
  rest.delete(capacityTypeLabel);
  const own: readonly RequirementSpec[] = [
    { key: capacityTypeLabel, operator: "In", values: planned.capacityTypes, ...minValuesOf(capacity) },
    // Cheapest first: the order is for people, the launch looks at prices itself.
    { key: instanceTypeLabel, operator: "In", values: planned.instanceTypes, ...minValuesOf(types) },
  ];
  const others = specsOfRequirements(rest);
  if (others.length + own.length <= maxRequirements) return [...others, ...own];
  const needed = [...rest.values()].filter(({ key, values }) => values.length !== 1 || labels[key] !== values[0]);
  return [...needed.sort((a, b) => (a.key < b.key ? -1 : 1)).flatMap(specsOf), ...own];
}

function minValuesOf(requirement: { readonly minValues?: number } | undefined): { readonly minValues?: number } {
  return requirement?.minValues === undefined ? {} : { minValues: requirement.minValues };
}
