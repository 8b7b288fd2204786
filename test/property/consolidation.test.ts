/** What must hold of every command of consolidation, over random clusters. */
import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { poolBudgets } from "#core/disruption/budget.ts";
import { candidates } from "#core/disruption/candidate.ts";
import { Consolidation, type Move } from "#core/disruption/consolidation.ts";
import { worstLaunchPrice } from "#core/disruption/launch-price.ts";
import { bestTogether } from "#core/disruption/multi-node-consolidation.ts";
import { simulateWithout, simulationBase } from "#core/disruption/simulation.ts";
import { bestSingle } from "#core/disruption/single-node-consolidation.ts";
import { NodeClaimWriter } from "#core/provisioning/node-claim.ts";
import { planProvisioning } from "#core/provisioning/plan.ts";
import type { PlannedClaim } from "#core/scheduling/solution.ts";
import type { Snapshot } from "#core/snapshot.ts";
import { problemOf } from "../../cli/solve/read-problem.ts";
import { type OfferedTypes, type PosedProblem, posedProblem } from "../../cli/solve/snapshot.ts";
import { generateCluster } from "../differential/clusters/generate-cluster.ts";
import { Random } from "../differential/generator/random.ts";

const seeds = Array.from({ length: 40 }, (_, i) => 900 + i);

interface Posed extends PosedProblem {
  readonly seed: number;
}

const clusters: readonly Posed[] = seeds.map((seed) => ({
  seed,
  ...posedProblem(problemOf(generateCluster(seed).problem)),
}));

function consolidationOf({ snapshot, provider }: PosedProblem): Consolidation<OfferedTypes> {
  const found = candidates(snapshot, provider, "graceful").candidates;
  const budgets = poolBudgets(snapshot.cluster, provider.nodeClass, "Underutilized", snapshot.nowMs);
  return new Consolidation({ snapshot, provider, candidates: found, budgets, resting: new Set() });
}

function movesOf(posed: PosedProblem): readonly Move[] {
  const consolidation = consolidationOf(posed);
  return [bestTogether(consolidation).move, bestSingle(consolidation).move].flatMap((move) => move ?? []);
}

const shown = (move: Move): unknown => [
  move.candidates.map(({ node }) => node.metadata.name),
  move.replacements.map(({ instanceTypes, requirements }) => [instanceTypes, [...requirements.values()]]),
  move.saved,
];

/** The move has begun: its nodes are marked and going, its replacement is made and not there yet. */
function executed({ snapshot, provider }: PosedProblem, move: Move): Snapshot<OfferedTypes> {
  const going = new Set(move.candidates.flatMap(({ claim, node }): readonly object[] => [claim, node]));
  const deletionTimestamp = "2026-01-01T12:00:00Z";
  const marked = { type: "DisruptionReason", status: "True" as const, reason: "Underutilized", message: "" };
  const at = { lastTransitionTime: deletionTimestamp };
  const { cluster } = snapshot;
  const writer = new NodeClaimWriter({
    decisionId: "move",
    nodeClassLabel: provider.nodeClass.label,
    isWellKnown: (key) => provider.wellKnownLabels.includes(key) || key.includes("kubernetes.io"),
  });
  const made = move.replacements.map((planned, i): NodeClaim => {
    const claim = writer.nodeClaim(planned, i, []);
    return { ...claim, metadata: { ...claim.metadata, uid: `made-${i}`, creationTimestamp: deletionTimestamp } };
  });
  const nodeClaims = cluster.nodeClaims.map((claim) => {
    if (!going.has(claim)) return claim;
    const conditions = [...(claim.status?.conditions ?? []), { ...marked, ...at }];
    return { ...claim, metadata: { ...claim.metadata, deletionTimestamp }, status: { ...claim.status, conditions } };
  });
  const nodes = cluster.nodes.map((node) =>
    going.has(node) ? { ...node, metadata: { ...node.metadata, deletionTimestamp } } : node,
  );
  return { ...snapshot, cluster: { ...cluster, nodes, nodeClaims: [...nodeClaims, ...made] } };
}

function worstOf({ snapshot }: PosedProblem, { instanceTypes, capacityTypes, requirements }: PlannedClaim): number {
  const zones = requirements.get("topology.kubernetes.io/zone");
  const inZone = (zone: string): boolean =>
    zones === undefined || (zones.complement ? !zones.values.includes(zone) : zones.values.includes(zone));
  const prices = instanceTypes.map((name) => {
    const type = snapshot.cloud.view.all.find((one) => one.name === name);
    const offerings = (type?.offerings ?? []).filter(
      ({ available, zone, capacityType }) => available && inZone(zone) && capacityTypes.includes(capacityType),
    );
    return worstLaunchPrice(offerings);
  });
  return Math.max(...prices);
}

describe.each(clusters.map((posed) => [posed.seed, posed] as const))("cluster %i", (_, posed) => {
  const moves = movesOf(posed);

  test("row 27: provisioning after the move makes no node", () => {
    for (const move of moves) {
      const { claims } = planProvisioning(executed(posed, move), posed.provider);
      expect(claims.map(({ planned }) => planned.pods.map(({ metadata }) => metadata.name))).toEqual([]);
    }
  });

  test("a replacement is cheaper than what it replaces, however it is launched", () => {
    for (const { candidates: gone, replacements, saved } of moves) {
      const before = gone.reduce((sum, { pricePerHour }) => sum + pricePerHour, 0);
      for (const planned of replacements) {
        expect(worstOf(posed, planned)).toBeLessThan(before);
        expect(planned.cheapest.pricePerHour).toBeCloseTo(before - saved);
      }
      expect(replacements.length).toBeLessThanOrEqual(1);
    }
  });

  test("the order of objects does not matter", () => {
    const random = new Random(posed.seed);
    const { cluster } = posed.snapshot;
    const shuffled: PosedProblem = {
      ...posed,
      snapshot: {
        ...posed.snapshot,
        cluster: {
          ...cluster,
          nodes: random.shuffled(cluster.nodes),
          nodeClaims: random.shuffled(cluster.nodeClaims),
          pods: random.shuffled(cluster.pods),
          nodePools: random.shuffled(cluster.nodePools),
        },
      },
    };
    expect(movesOf(shuffled).map(shown)).toEqual(moves.map(shown));
  });

  test("a trial leaves nothing behind: each says the same alone and after all the others", () => {
    const { snapshot, provider } = posed;
    const found = candidates(snapshot, provider, "graceful").candidates;
    const used = simulationBase(snapshot, provider, found, "consolidation");
    for (const one of found) simulateWithout(used, [one]);
    simulateWithout(used, found.slice(0, 5));
    used.oneByOne(found, 50, { mayGo: () => true, gone: () => {} });
    for (const one of found.slice(0, 6)) {
      const fresh = simulateWithout(simulationBase(snapshot, provider, found, "consolidation"), [one]);
      expect(simulateWithout(used, [one])).toEqual(fresh);
    }
  });
});

test("these clusters have moves of every kind", () => {
  const moves = clusters.flatMap(movesOf);
  const withReplacement = moves.filter(({ replacements }) => replacements.length > 0);
  expect(moves.length).toBeGreaterThan(clusters.length / 2);
  expect(withReplacement.length).toBeGreaterThan(5);
  expect(moves.length - withReplacement.length).toBeGreaterThan(5);
});
