/**
 * Karpenter counterpart: pkg/controllers/disruption/drift.go. It differs: pools whose replacements came to nothing rest, and
 * a drift that replacing does not cure is left alone (drift-damping.ts).
 */
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { conditionOf, isTrue } from "../condition.ts";
import { drifted, transitionMs } from "../nodeclaim/conditions.ts";
import { refOf } from "../object-ref.ts";
import { byKey, inTurn } from "../order.ts";
import { isReschedulable } from "../pod/pod-predicates.ts";
import type { Reason } from "../reason.ts";
import { budgetReason } from "./budget-reason.ts";
import type { Candidate } from "./candidate.ts";
import { disruptionCommand } from "./disruption-command.ts";
import { driftDigest, type UncuredDrift, uncuredDrifts } from "./drift-damping.ts";
import type { DisruptionLook, Method, MethodAnswer } from "./method.ts";
import { nodeKept } from "./node-kept.ts";
import { simulateWithout, simulationBase } from "./simulation.ts";

const none: MethodAnswer = { reasons: [] };

/** One node at a time; no wait, since a drift does not pass by itself. */
export function drift<View>(): Method<View> {
  return { name: "drift", reason: "Drifted", waits: false, find, confirm: () => none };
}

/** Empty nodes first, then those that drifted first. */
const byUrgency = inTurn<Candidate>(
  byKey(({ pods }) => (pods.some(isReschedulable) ? 1 : 0)),
  byKey(({ claim }) => transitionMs(claim, drifted) ?? 0),
  byKey(({ claim }) => claim.metadata.name),
);

function find<View>(look: DisruptionLook<View>): MethodAnswer {
  const { snapshot, provider } = look;
  const { cluster } = snapshot;
  if (!cluster.nodeClaims.some((claim) => isTrue(claim, drifted))) return none;
  const uncured = new Map(uncuredDrifts(cluster.nodeClaims, cluster).map((one) => [one.digest, one]));
  const found = look
    .candidates("eventual")
    .candidates.filter(({ claim, nodePool }) => isTrue(claim, drifted) && nodePool.spec.replicas === undefined);
  const free = found.filter(({ claim }) => !uncured.has(driftDigest(claim, cluster) ?? "")).sort(byUrgency);
  const budgets = look.budgets("Drifted");
  // Most ticks have no budget left for it: the cluster is prepared when a node may go.
  let base: ReturnType<typeof simulationBase> | undefined;
  const reasons: Reason[] = [...uncured.values()].map((one) => uncuredReason(one, cluster.nodePools));
  const held = new Set<string>();
  for (const candidate of free) {
    const { name } = candidate.nodePool.metadata;
    const budget = budgets.get(name);
    if (budget === undefined || budget.remaining === 0) {
      if (budget !== undefined && !held.has(name)) reasons.push(budgetReason(budget, "Drifted"));
      held.add(name);
      continue;
    }
    base ??= simulationBase(snapshot, provider, free, "drift");
    const { replacements, unplaced } = simulateWithout(base, [candidate]);
    const [homeless] = unplaced;
    if (homeless !== undefined) {
      reasons.push(...blocked(candidate, `its pods have no other place: ${homeless.message}`));
      continue;
    }
    const untilMs = replacements.length === 0 ? undefined : look.resting.get(name);
    if (untilMs !== undefined) {
      const seconds = Math.ceil((untilMs - snapshot.nowMs) / 1_000);
      reasons.push(
        ...blocked(candidate, `NodePool ${name} rests for ${seconds} s, its last replacement came to nothing`),
      );
      continue;
    }
    return { command: disruptionCommand("drift", "Drifted", [candidate], replacements, budgets), reasons };
  }
  return { reasons };
}

function blocked(candidate: Candidate, why: string): readonly Reason[] {
  return nodeKept(candidate, `Drifted: stays, ${why}`, { type: "Normal", reason: "DisruptionBlocked" });
}

function uncuredReason({ nodePool, replacements, example }: UncuredDrift, nodePools: readonly NodePool[]): Reason {
  const { reason = "", message = "" } = conditionOf(example, drifted) ?? {};
  const pool = nodePools.find(({ metadata }) => metadata.name === nodePool);
  return {
    about: pool === undefined ? { kind: "NodePool", name: nodePool } : refOf("NodePool", pool),
    code: "pool-budget",
    message: `Drifted nodes are kept: ${replacements} replacements have drifted for ${reason} again (${message}); mend the cause, or change the NodePool or its node class`,
    event: { type: "Warning", reason: "DisruptionBlocked", once: true },
  };
}
