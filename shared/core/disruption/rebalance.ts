/**
 * Karpenter counterpart: none; it says rebalance recommendations as events, and so do we. It differs where a NodePool asks
 * for it by an annotation: then a node with a recommendation is replaced, the replacement first, within the pool's
 * budgets, and never one that has only just come (users saw nodes thrown away within minutes).
 */
import { capacityTypeLabel, instanceTypeLabel, zoneLabel } from "#api/karpenter-v1/labels.ts";
import type { DisruptionReason } from "#api/karpenter-v1/nodepool.ts";
import { interruptedAtAnnotation, rebalanceAtAnnotation } from "#api/outrigger-names.ts";
import { formatTime, parseTime } from "#api/time.ts";
import { partialReadBrake } from "../brake.ts";
import { type Decision, nothing, together } from "../decision.ts";
import { deleteClaim } from "../nodeclaim/claim-deletion.ts";
import { actsOnRebalance } from "../nodeclaim/interruption.ts";
import { isDeleting } from "../nodeclaim/managed.ts";
import { refOf } from "../object-ref.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Stage } from "../stage.ts";
import { markUnavailable, type OfferingName } from "../state/unavailable-offerings.ts";
import { poolBudgets } from "./budget.ts";
import { type Remaining, withinBudgets } from "./budget-room.ts";
import { type Candidate, candidates, type PriceKnowledge } from "./candidate.ts";

/** A younger node keeps its pods: its replacement would most likely be recommended away as well. */
const nodeAgeMsMin = 5 * 60_000;
/** It is none of the reasons that budgets can name, so that the tightest of them counts. */
const everyReason: readonly DisruptionReason[] = ["Empty", "Drifted", "Underutilized"];

export function rebalance<View>(provider: PriceKnowledge<View>): Stage<View> {
  return {
    name: "rebalance",
    decide: (snapshot) => {
      if (!snapshot.cluster.nodeClaims.some((claim) => isRecommended(claim) && !isDeleting(claim))) return nothing;
      const partial = partialReadBrake(snapshot, "No node is replaced for a rebalance recommendation");
      if (partial !== undefined) return { commands: [], reasons: [partial] };
      const { candidates: found } = candidates(snapshot, provider, "graceful");
      const recommended = found.filter(({ claim, nodePool }) => isRecommended(claim) && actsOnRebalance(nodePool));
      const grown = recommended.filter((candidate) => ageMs(candidate, snapshot) >= nodeAgeMsMin);
      const { taken, held } = withinBudgets(grown, tightest(snapshot, provider));
      return together([
        { commands: markUnavailable(snapshot.cluster.state, taken.flatMap(spotOffering), snapshot.nowMs), reasons: [] },
        ...taken.map((candidate) => replace(candidate, snapshot.nowMs)),
        ...held.map((candidate) => kept(candidate, "the budgets of its NodePool allow no further node to go")),
        ...recommended
          .filter((candidate) => !grown.includes(candidate))
          .map((candidate) => kept(candidate, `its node is younger than ${nodeAgeMsMin / 60_000} minutes`)),
      ]);
    },
  };
}

function isRecommended({ metadata }: Candidate["claim"]): boolean {
  return metadata.annotations?.[rebalanceAtAnnotation] !== undefined;
}

function ageMs({ node }: Candidate, { nowMs }: Snapshot): number {
  return nowMs - (parseTime(node.metadata.creationTimestamp) ?? nowMs);
}

/** By name of the pool, what the tightest of its budgets leaves. */
function tightest<View>({ cluster, nowMs }: Snapshot<View>, { nodeClass }: PriceKnowledge<View>): Remaining {
  const budgets = everyReason.map((reason) => poolBudgets(cluster, nodeClass, reason, nowMs));
  return new Map(
    cluster.nodePools.map(({ metadata: { name } }) => [
      name,
      { remaining: Math.min(...budgets.map((of) => of.get(name)?.remaining ?? 0)) },
    ]),
  );
}

/** As after a warning: its pods stay until the replacement is there, for a minute or two at most. */
function replace({ claim, node }: Candidate, nowMs: number): Decision {
  const event = { type: "Normal", reason: "DisruptionTerminating" } as const;
  const message = "Replaced: the cloud recommends to leave this spot capacity";
  const annotations = { [interruptedAtAnnotation]: formatTime(nowMs) };
  return together([
    { commands: [{ kind: "patch-metadata", target: refOf("NodeClaim", claim), annotations }], reasons: [] },
    deleteClaim(claim, "rebalance_recommendation", message, event),
    {
      commands: [],
      reasons: [
        {
          ...{ about: refOf("Node", node), code: "node-disrupted", message, event },
          data: { method: "rebalance", reason: "Rebalance" },
        },
      ],
    },
  ]);
}

function kept({ claim }: Candidate, why: string): Decision {
  const message = `Recommended to be replaced, and kept: ${why}`;
  return { commands: [], reasons: [{ about: refOf("NodeClaim", claim), code: "node-kept", message }] };
}

function spotOffering({ claim }: Candidate): readonly OfferingName[] {
  const {
    [instanceTypeLabel]: instanceType,
    [zoneLabel]: zone,
    [capacityTypeLabel]: capacityType,
  } = claim.metadata.labels ?? {};
  if (instanceType === undefined || zone === undefined || capacityType !== "spot") return [];
  return [{ instanceType, zone, capacityType }];
}
