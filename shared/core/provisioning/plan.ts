/**
 * What provisioning would do now, as data: the material of the stage, of `plan` and of `explain`. Karpenter counterpart:
 * pkg/controllers/provisioning/provisioner.go, Schedule and CreateNodeClaims, without the writing.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { PatchState } from "../command.ts";
import { isManagedClaim } from "../nodeclaim/managed.ts";
import { objectName } from "../object-ref.ts";
import { alonePods, isOfIgnoredNamespace } from "../pod/alone.ts";
import type { Reason } from "../reason.ts";
import { type Budget, noBudget, quickBudget } from "../scheduling/improvement/budget.ts";
import type { ReservedMode } from "../scheduling/instance-types/reservations.ts";
import type { SchedulingProblem } from "../scheduling/problem.ts";
import type { PlacedOnNode, PlannedClaim, Unplaced } from "../scheduling/solution.ts";
import { roundsFor } from "../scheduling/strategy.ts";
import type { Settings } from "../settings.ts";
import type { Snapshot } from "../snapshot.ts";
import type { StateNode } from "../state/state-node.ts";
import { exhaustedPoolReasons } from "./exhausted-pools.ts";
import { JoinBudget } from "./join-budget.ts";
import { LaunchBudget } from "./launch-budget.ts";
import { solveWithLeaving } from "./leaving-pods.ts";
import { Misfits } from "./misfits.ts";
import { NodeClaimWriter } from "./node-claim.ts";
import { restingPoolsTeller } from "./resting-pools.ts";
import { provisioningProblem, type SchedulingProvider } from "./scheduling-problem.ts";

export interface PlannedNodeClaim {
  readonly nodeClaim: NodeClaim;
  readonly planned: PlannedClaim;
}

export interface Plan {
  readonly claims: readonly PlannedNodeClaim[];
  /** Pods that have room on nodes and claims that exist. */
  readonly placements: readonly PlacedOnNode[];
  readonly unschedulable: readonly Unplaced[];
  /** Pods that make no demand, by a rule of the settings. */
  readonly ignored: readonly Unplaced[];
  /** Pods that wait for reserved capacity. */
  readonly deferred: readonly Unplaced[];
  /** Of the pods above, those that run on a node that is going away (`namespace/name`). */
  readonly leaving: ReadonlySet<string>;
  /** About NodePools that were not considered. */
  readonly reasons: readonly Reason[];
  /** Keys of the state to write. */
  readonly remember: PatchState["data"];
}

/** `budget`: of the search for a cheaper plan; absent: what a tick spends. */
export function planProvisioning<View>(
  snapshot: Snapshot<View>,
  provider: SchedulingProvider<View>,
  reservedMode: ReservedMode = "strict",
  budget?: Budget,
): Plan {
  const { problem, demand, states, reasons } = provisioningProblem(snapshot, provider, reservedMode);
  const alone = ignoredWhenAlone(snapshot, provider, states, problem.pods);
  const misfits = new Misfits(snapshot.cluster.state, states, problem.daemons, snapshot.nowMs);
  const givenUp = problem.pods.flatMap((pod) => {
    const message = misfits.refusalOf(pod);
    return message === undefined ? [] : [{ pods: [pod], message }];
  });
  const hopeless = new Set(givenUp.flatMap(({ pods }) => pods));
  const pods = hopeless.size === 0 ? problem.pods : problem.pods.filter((pod) => !hopeless.has(pod));
  const asked: SchedulingProblem = { ...problem, pods, pools: alone ? [] : problem.pools };
  const solution = solveWithLeaving(asked, demand, states, budget ?? tickBudget(pods, snapshot.settings));
  const { nodes, claims: wanted, unplaced, deferred } = solution;
  const { claims, heldBack } = withinBudget(wanted, snapshot, problem);
  const refused = demand.refused.map(({ pod, message }) => ({ pods: [pod], message }));
  const wellKnown = new Set(problem.wellKnownLabels);
  const writer = new NodeClaimWriter({
    decisionId: snapshot.decisionId,
    nodeClassLabel: provider.nodeClass.label,
    isWellKnown: (key: string) => wellKnown.has(key),
  });
  return {
    claims: claims.map((planned, index) => ({
      planned,
      nodeClaim: writer.nodeClaim(planned, index, replacedClaims(planned, demand.leaving)),
    })),
    placements: nodes,
    unschedulable: [...refused, ...givenUp, ...heldBack, ...(alone ? [] : unplaced.map(restingPoolsTeller(snapshot)))],
    ignored: alone ? unplaced.map(({ pods }) => ({ pods, message: aloneMessage })) : [],
    deferred,
    leaving: new Set(demand.leaving.keys()),
    reasons: [...reasons, ...(unplaced.length === 0 ? [] : exhaustedPoolReasons(problem.pools))],
    remember: misfits.patch(
      claims.flatMap((claim) => claim.pods),
      [...hopeless],
    ),
  };
}

/** Claims for offerings that were refused lately, and of pools whose nodes did not join, come one at a time. */
function withinBudget<View>(
  wanted: readonly PlannedClaim[],
  { cluster, nowMs }: Snapshot<View>,
  { pools }: SchedulingProblem,
): { readonly claims: readonly PlannedClaim[]; readonly heldBack: readonly Unplaced[] } {
  const budget = new LaunchBudget(cluster.state, cluster.nodeClaims, pools, nowMs);
  const joining = new JoinBudget(cluster.state);
  const heldBack: Unplaced[] = [];
  const claims = wanted.filter((claim) => {
    const message = budget.refusalOf(claim) ?? joining.refusalOf(claim);
    if (message !== undefined) heldBack.push({ pods: claim.pods, message });
    return message === undefined;
  });
  return { claims, heldBack };
}

/** Few pods are placed in so many ways (scheduling/strategy.ts) that little is left to be won. */
function tickBudget(pods: readonly Pod[], { improveSteps }: Settings): Budget {
  return roundsFor(pods.length) === undefined ? quickBudget(improveSteps) : noBudget;
}

const aloneMessage = "pods of its namespace alone get no new node (ignoreWhenAloneNamespaces)";

/** Nothing but pods that the settings name wants a node, and there is none of ours, or none that stays for anybody. */
function ignoredWhenAlone<View>(
  snapshot: Snapshot<View>,
  provider: SchedulingProvider<View>,
  states: readonly StateNode[],
  pods: readonly Pod[],
): boolean {
  const { settings } = snapshot;
  if (settings.ignoreWhenAloneNamespaces.length === 0 || pods.length === 0) return false;
  const ours = states.some(({ claim, deleting }) => {
    return claim !== undefined && !deleting && isManagedClaim(claim, provider.nodeClass);
  });
  return pods.every(ours ? alonePods(snapshot) : (pod) => isOfIgnoredNamespace(pod, settings));
}

function replacedClaims({ pods }: PlannedClaim, leaving: ReadonlyMap<string, string | undefined>): readonly string[] {
  if (leaving.size === 0) return [];
  const names = pods.flatMap(({ metadata }) => leaving.get(objectName(metadata)) ?? []);
  return [...new Set(names)].sort();
}
