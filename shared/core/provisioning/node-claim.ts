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
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { RequirementSpec } from "#api/karpenter-v1/requirement.ts";
import { maxRequirements } from "#api/karpenter-v1/requirement-validation.ts";
import { decisionAnnotation, expectedPodsAnnotation, replacesAnnotation } from "#api/outrigger-names.ts";
import { nodePoolHash, nodePoolHashVersion } from "../nodepool/hash.ts";
import { claimLabels } from "../scheduling/claims/candidate-pool.ts";
import { expectedPodsText } from "../scheduling/pods/expected-pods.ts";
import { specsOf } from "../scheduling/requirements/requirement-text.ts";
import { type Requirements, specsOfRequirements } from "../scheduling/requirements/requirements.ts";
import { resourceListOf } from "../scheduling/resources/resources.ts";
import type { PlannedClaim } from "../scheduling/solution.ts";
import { stableHash } from "../stable-hash.ts";
import { customLabels } from "./custom-labels.ts";

export interface ClaimContext {
  readonly decisionId: string;
  readonly nodeClassLabel: string;
  readonly isWellKnown: (key: string) => boolean;
}

type Labels = Readonly<Record<string, string>>;

/** Writes the claims of one decision. What claims have in common is written once. */
export class NodeClaimWriter {
  readonly #context: ClaimContext;
  readonly #hashes = new Map<NodePool, string>();
  readonly #labels = new Map<Requirements, Labels>();
  readonly #requirements = new Map<Requirements, readonly RequirementSpec[]>();

  constructor(context: ClaimContext) {
    this.#context = context;
  }

  /** `index`: the claim's place in the decision; `replaces`: names of claims, sorted. */
  nodeClaim(planned: PlannedClaim, index: number, replaces: readonly string[]): NodeClaim {
    const { nodePool } = planned;
    const { spec, metadata } = nodePool.spec.template;
    const decision = `${this.#context.decisionId}/${index}`;
    const labels = this.#labelsOf(planned);
    return {
      apiVersion,
      kind: "NodeClaim",
      metadata: {
        name: `${nodePool.metadata.name}-${stableHash(decision, 8)}`,
        labels,
        annotations: {
          ...metadata?.annotations,
          [nodePoolHashAnnotation]: this.#hashOf(nodePool),
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
        requirements: claimRequirements(planned, labels, this.#othersOf(planned)),
        nodeClassRef: spec.nodeClassRef,
        ...(spec.taints === undefined ? {} : { taints: spec.taints }),
        ...(spec.startupTaints === undefined ? {} : { startupTaints: spec.startupTaints }),
        resources: { requests: resourceListOf(planned.requests) },
        expireAfter: spec.expireAfter,
        ...(spec.terminationGracePeriod === undefined ? {} : { terminationGracePeriod: spec.terminationGracePeriod }),
      },
    };
  }

  #hashOf(nodePool: NodePool): string {
    const hash = this.#hashes.get(nodePool) ?? nodePoolHash(nodePool);
    this.#hashes.set(nodePool, hash);
    return hash;
  }

  /** Requirements name their pool, so they alone tell the labels. */
  #labelsOf({ nodePool, requirements }: PlannedClaim): Labels {
    const { nodeClassLabel, isWellKnown } = this.#context;
    const labels = this.#labels.get(requirements) ?? {
      ...claimLabels(nodePool, nodeClassLabel),
      ...customLabels(requirements, isWellKnown),
    };
    this.#labels.set(requirements, labels);
    return labels;
  }

  /** All but instance type and capacity type. */
  #othersOf({ requirements }: PlannedClaim): readonly RequirementSpec[] {
    const known = this.#requirements.get(requirements);
    if (known !== undefined) return known;
    const rest = new Map(requirements);
    rest.delete(instanceTypeLabel);
    rest.delete(capacityTypeLabel);
    const others = specsOfRequirements(rest);
    this.#requirements.set(requirements, others);
    return others;
  }
}

/** The CRD admits 100 items; beyond them those go first that the claim's labels say already. */
function claimRequirements(
  planned: PlannedClaim,
  labels: Labels,
  others: readonly RequirementSpec[],
): readonly RequirementSpec[] {
  const types = planned.requirements.get(instanceTypeLabel);
  const capacity = planned.requirements.get(capacityTypeLabel);
  const own: readonly RequirementSpec[] = [
    { key: capacityTypeLabel, operator: "In", values: planned.capacityTypes, ...minValuesOf(capacity) },
    // Cheapest first: the order is for people, the launch looks at prices itself.
    { key: instanceTypeLabel, operator: "In", values: planned.instanceTypes, ...minValuesOf(types) },
  ];
  if (others.length + own.length <= maxRequirements) return [...others, ...own];
  const needed = [...planned.requirements.values()].filter(
    ({ key, values }) =>
      key !== instanceTypeLabel && key !== capacityTypeLabel && (values.length !== 1 || labels[key] !== values[0]),
  );
  return [...needed.sort((a, b) => (a.key < b.key ? -1 : 1)).flatMap(specsOf), ...own];
}

function minValuesOf(requirement: { readonly minValues?: number } | undefined): { readonly minValues?: number } {
  return requirement?.minValues === undefined ? {} : { minValues: requirement.minValues };
}
