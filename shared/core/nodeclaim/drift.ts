/**
 * Karpenter counterpart: pkg/controllers/nodeclaim/disruption/drift.go. No difference in the checks and their order, the
 * first that finds something wins. It differs: looked at in each tick; the message says what differs; an instance that
 * this look did not show, or a look that was not whole, leaves the verdict of the look before.
 */
import { instanceTypeLabel, nodePoolLabel } from "#api/karpenter-v1/labels.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import type { CloudDrift, CloudProvider } from "../cloud-provider.ts";
import { type ConditionChange, conditionOf, isTrue } from "../condition.ts";
import type { Instance } from "../instance.ts";
import type { InstanceType } from "../instance-type.ts";
import { refOf } from "../object-ref.ts";
import type { Reason } from "../reason.ts";
import { type Requirements, requirementsOf } from "../scheduling/requirements/requirements.ts";
import type { Snapshot } from "../snapshot.ts";
import { drifted, launched } from "./conditions.ts";
import { instanceTypeDrift } from "./instance-type-drift.ts";
import { requirementsDrift, templateDrift } from "./template-drift.ts";

export type DriftKnowledge<View> = Pick<CloudProvider<unknown, View>, "nodeClass" | "instanceTypes" | "drift">;

/** `unknown`: what was found before stays. */
export type DriftVerdict = CloudDrift | "none" | "unknown";

/** Looks at claims of one snapshot; what claims of a pool have in common is found once. */
export class DriftWatch<View> {
  readonly #snapshot: Snapshot<View>;
  readonly #provider: DriftKnowledge<View>;
  readonly #pools: ReadonlyMap<string, NodePool>;
  readonly #instances: ReadonlyMap<string, Instance>;
  readonly #requirements = new Map<NodePool, Requirements>();
  readonly #types = new Map<NodePool, ReadonlyMap<string, InstanceType> | undefined>();

  constructor(snapshot: Snapshot<View>, provider: DriftKnowledge<View>) {
    this.#snapshot = snapshot;
    this.#provider = provider;
    this.#pools = new Map(snapshot.cluster.nodePools.map((nodePool) => [nodePool.metadata.name, nodePool]));
    this.#instances = new Map(snapshot.cloud.instances.map((instance) => [instance.providerID, instance]));
  }

  verdictOf(claim: NodeClaim): DriftVerdict {
    const nodePool = this.#pools.get(claim.metadata.labels?.[nodePoolLabel] ?? "");
    if (nodePool === undefined || !isTrue(claim, launched)) return "none";
    const own = templateDrift(claim, nodePool) ?? requirementsDrift(claim, nodePool, this.#requirementsOf(nodePool));
    if (own !== undefined) return own;
    const types = this.#typesOf(nodePool);
    if (types === undefined || this.#snapshot.cloud.incomplete.length > 0) return "unknown";
    const ofType = instanceTypeDrift(claim, types, this.#snapshot.nowMs);
    if (ofType !== undefined) return ofType;
    if (this.#provider.drift === undefined) return "none";
    const instance = this.#instances.get(claim.status?.providerID ?? "");
    if (instance === undefined) return "unknown";
    return this.#provider.drift(this.#snapshot, claim, instance) ?? "none";
  }

  #requirementsOf(nodePool: NodePool): Requirements {
    const known = this.#requirements.get(nodePool) ?? requirementsOf(nodePool.spec.template.spec.requirements);
    this.#requirements.set(nodePool, known);
    return known;
  }

  /** Undefined when they are not known now. */
  #typesOf(nodePool: NodePool): ReadonlyMap<string, InstanceType> | undefined {
    if (this.#types.has(nodePool)) return this.#types.get(nodePool);
    const answer = this.#provider.instanceTypes(this.#snapshot, nodePool);
    const types = answer.kind === "known" ? new Map(answer.instanceTypes.map((type) => [type.name, type])) : undefined;
    this.#types.set(nodePool, types);
    return types;
  }
}

/** What becomes of the condition Drifted; none: it stays as it is. */
export function driftChanges(claim: NodeClaim, verdict: DriftVerdict): readonly ConditionChange[] {
  if (verdict === "unknown") return [];
  if (verdict !== "none") return [{ type: drifted, status: "True", ...verdict }];
  return conditionOf(claim, drifted) === undefined ? [] : [{ type: drifted }];
}

/** Said when it begins, or differs in another way than before. */
export function driftReasons(claim: NodeClaim, changes: readonly ConditionChange[]): readonly Reason[] {
  const before = conditionOf(claim, drifted);
  const event = { type: "Normal", reason: drifted } as const;
  return changes
    .filter(({ status, message }) => status === "True" && !(before?.status === "True" && before.message === message))
    .map(({ reason = "", message = "" }): Reason => {
      const about = refOf("NodeClaim", claim);
      return { about, code: "claim-drifted", message: `Drifted: ${reason}, ${message}`, data: { reason }, event };
    });
}

/** What differs, without the names of this one machine: equal for two nodes that drifted alike. */
export function driftWords(claim: NodeClaim): string | undefined {
  const condition = conditionOf(claim, drifted);
  if (condition?.status !== "True") return undefined;
  const { providerID = "" } = claim.status ?? {};
  const own = [providerID.slice(providerID.lastIndexOf("/") + 1), claim.metadata.labels?.[instanceTypeLabel] ?? ""];
  const message = own
    .filter((name) => name !== "")
    .reduce((text, name) => text.replaceAll(name, "it"), condition.message);
  return `${condition.reason}: ${message}`;
}
