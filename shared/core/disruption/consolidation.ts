/**
 * Whether nodes can go, alone or together, with at most one cheaper node in their place. Karpenter counterpart:
 * pkg/controllers/disruption/consolidation.go, ShouldDisrupt and computeConsolidation. It differs: the answer carries what it
 * saves, and each node that stays says why, with the numbers.
 */
import { parseDuration } from "#api/duration.ts";
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import { isTrue } from "../condition.ts";
import { consolidatable } from "../nodeclaim/conditions.ts";
import { objectName } from "../object-ref.ts";
import type { SchedulingProvider } from "../provisioning/scheduling-problem.ts";
import type { Reason } from "../reason.ts";
import { plannedClaim } from "../scheduling/claims/planned-claim.ts";
import type { PlacedOnNode, PlannedClaim, Unplaced } from "../scheduling/solution.ts";
import type { Snapshot } from "../snapshot.ts";
import { type PoolTotals, poolTotals, refusals, refusalText } from "./balanced.ts";
import type { PoolBudget } from "./budget.ts";
import type { Candidate } from "./candidate.ts";
import { cheaperClaim } from "./cheaper-claim.ts";
import { costOf } from "./disruption-command.ts";
import { isEmpty } from "./eviction-cost.ts";
import { LaunchPrices } from "./launch-price.ts";
import { nodeKept } from "./node-kept.ts";
import { type SimulationBase, simulationBase, type Trial } from "./simulation.ts";

/** What consolidation of one tick looks at. */
export interface ConsolidationInputs<View> {
  readonly snapshot: Snapshot<View>;
  readonly provider: SchedulingProvider<View>;
  /** Gracefully disruptable and not nominated; most saved per disruption first. */
  readonly candidates: readonly Candidate[];
  /** For reason Underutilized, by name of the pool. */
  readonly budgets: ReadonlyMap<string, PoolBudget>;
  /** Pools whose last replacements came to nothing: their nodes may be deleted, not replaced. */
  readonly resting: ReadonlySet<string>;
}

/** A set of nodes that can go, or why it stays. */
export type Verdict =
  | {
      readonly kind: "goes";
      readonly candidates: readonly Candidate[];
      readonly replacements: readonly PlannedClaim[];
      /** Pods that have room on nodes that stay. */
      readonly placements: readonly PlacedOnNode[];
      /** Per hour. */
      readonly saved: number;
    }
  | { readonly kind: "stays"; readonly message: string };

export type Move = Extract<Verdict, { kind: "goes" }>;

/** So many verdicts are worth the words of the scheduler. */
const detailsMax = 100;

export class Consolidation<View> {
  /** In the order of the inputs. */
  readonly candidates: readonly Candidate[];
  /** Of nodes that are out of the question. */
  readonly reasons: readonly Reason[];
  readonly budgets: ReadonlyMap<string, PoolBudget>;
  readonly #inputs: ConsolidationInputs<View>;
  readonly #prices = new LaunchPrices();
  #base: SimulationBase | undefined;
  #totals: ReadonlyMap<string, PoolTotals> | undefined;
  #details = 0;

  constructor(inputs: ConsolidationInputs<View>) {
    this.#inputs = inputs;
    this.budgets = inputs.budgets;
    const judged = inputs.candidates.map((candidate) => ({ candidate, objection: objectionTo(candidate) }));
    this.candidates = judged.flatMap(({ candidate, objection }) => (objection === undefined ? [candidate] : []));
    this.reasons = judged.flatMap(({ candidate, objection }) =>
      objection === undefined || objection === "" ? [] : unconsolidatable(candidate, objection, false),
    );
  }

  get base(): SimulationBase {
    const { snapshot, provider } = this.#inputs;
    this.#base ??= simulationBase(snapshot, provider, this.candidates, "consolidation");
    return this.#base;
  }

  /** At least one candidate. */
  verdictOn(candidates: readonly Candidate[]): Verdict {
    const verdict = this.base.trial(candidates, true, (trial) => this.#verdictOn(candidates, trial));
    if (verdict.kind === "stays") return verdict;
    const [refusal] = refusals(candidates, costOf(candidates) - verdict.saved, this.#poolTotals());
    return refusal === undefined ? verdict : { kind: "stays", message: refusalText(refusal) };
  }

  /** Why the node cannot go even if its pods all have room elsewhere; undefined: it may. */
  hopelessness(candidate: Candidate): string | undefined {
    if (candidate.nodePool.spec.disruption.consolidationPolicy !== "Balanced") return undefined;
    const [refusal] = refusals([candidate], 0, this.#poolTotals());
    return refusal === undefined ? undefined : refusalText(refusal);
  }

  #verdictOn(candidates: readonly Candidate[], { claims, placements, unplaced }: Trial): Verdict {
    if (unplaced !== undefined) return stays(this.#withoutPlace(candidates, unplaced));
    const [claim, second] = claims;
    if (claim === undefined) {
      return { kind: "goes", candidates, replacements: [], placements: placements(), saved: costOf(candidates) };
    }
    if (second !== undefined) return stays(`its pods would need ${claims.length} new nodes`);
    const resting = candidates.find(({ nodePool }) => this.#inputs.resting.has(nodePool.metadata.name));
    if (resting !== undefined) {
      return stays(`NodePool ${resting.nodePool.metadata.name} rests: its last replacement came to nothing`);
    }
    const spotToSpot = this.#inputs.snapshot.settings.featureGates.spotToSpotConsolidation;
    const { pinning, problem } = this.base;
    const cheaper = cheaperClaim(claim, candidates, { pinning, prices: this.#prices, spotToSpot });
    if (cheaper.kind === "none") return stays(cheaper.message);
    const planned = plannedClaim(claim, cheaper.final, problem.dimensions);
    const saved = costOf(candidates) - planned.cheapest.pricePerHour;
    return { kind: "goes", candidates, replacements: [planned], placements: placements(), saved };
  }

  #withoutPlace(candidates: readonly Candidate[], unplaced: () => readonly Unplaced[]): string {
    if (candidates.length > 1 || this.#details >= detailsMax) return "some of its pods have no other place";
    this.#details++;
    const [first] = unplaced();
    const [pod] = first?.pods ?? [];
    if (first === undefined || pod === undefined) return "some of its pods have no other place";
    const others = unplaced().reduce((sum, { pods }) => sum + pods.length, -1);
    const more = others > 0 ? ` (and ${others} more of its pods)` : "";
    return `pod ${objectName(pod.metadata)}${more} has no other place: ${first.message}`;
  }

  #poolTotals(): ReadonlyMap<string, PoolTotals> {
    const { snapshot, provider } = this.#inputs;
    const pools = new Map(snapshot.cluster.nodePools.map((pool) => [pool.metadata.name, pool]));
    this.#totals ??= poolTotals(snapshot.cluster, (name) => {
      const pool = pools.get(name);
      const answer = pool === undefined ? undefined : provider.instanceTypes(snapshot, pool);
      return answer?.kind === "known" ? answer.instanceTypes : [];
    });
    return this.#totals;
  }
}

/** `loud`: users hear of it by an event. */
export function unconsolidatable(candidate: Candidate, why: string, loud: boolean): readonly Reason[] {
  const event = loud ? ({ type: "Normal", reason: "Unconsolidatable" } as const) : undefined;
  return nodeKept(candidate, `Not consolidated: ${why}`, event);
}

function stays(message: string): Verdict {
  return { kind: "stays", message };
}

/** Karpenter: consolidation's ShouldDisrupt. "": another method's business, or its time has not come. */
function objectionTo({ claim, nodePool, pods, instanceType }: Candidate): string | undefined {
  const { replicas, disruption } = nodePool.spec;
  const labels = claim.metadata.labels ?? {};
  const { name } = nodePool.metadata;
  if (replicas !== undefined) return "";
  if (instanceType === undefined) return `NodePool ${name} knows no instance type "${labels[instanceTypeLabel] ?? ""}"`;
  const missing = [capacityTypeLabel, zoneLabel].find((key) => labels[key] === undefined);
  if (missing !== undefined) return `it has no label ${missing}, so its price is not known`;
  if (parseDuration(disruption.consolidateAfter) === undefined) return `consolidateAfter of NodePool ${name} is Never`;
  if (isEmpty(pods)) return "";
  if (disruption.consolidationPolicy === "WhenEmpty")
    return `NodePool ${name} consolidates empty nodes only (WhenEmpty)`;
  return isTrue(claim, consolidatable) ? undefined : "";
}
