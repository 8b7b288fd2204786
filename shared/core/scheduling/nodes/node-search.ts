/**
 * Finds the next node with room for a class. Karpenter counterpart:
 * pkg/controllers/provisioning/scheduling/scheduler.go, addToExistingNode, which asks every node for every pod. It differs:
 * a search goes on where the last one ended, since nodes only fill.
 */

import { limitOn } from "../claims/slot.ts";
import type { NodeView, StepTurn } from "../claims/step-turn.ts";
import { allowsAsIs } from "../topology/domain-choice.ts";
import type { PlacedNode } from "./node-lanes.ts";

interface FoundNode {
  readonly view: NodeView;
  readonly place: PlacedNode;
  readonly limit: number;
}

/** The first in the order of all nodes; its view's cursor is at it. */
export function nextNode(turn: StepTurn): FoundNode | undefined {
  const { rules } = turn.step;
  let best: FoundNode | undefined;
  for (const view of turn.nodes) {
    const [sample] = view.lane.places;
    if (sample === undefined || (rules.byKey.length > 0 && !allowsAsIs(rules, sample.whereabouts))) continue;
    const found = nextOfLane(turn, view);
    if (found !== undefined && (best === undefined || found.place.order < best.place.order)) best = found;
  }
  return best;
}

function nextOfLane({ step, wanted }: StepTurn, view: NodeView): FoundNode | undefined {
  let slot = view.lane.first(view.cursor, wanted.ofNodes);
  while (slot >= 0) {
    view.cursor = slot;
    const place = view.lane.places[slot];
    const limit = place === undefined ? 0 : limitOn(step.rules, place.host);
    if (place !== undefined && limit > 0) return { view, place, limit };
    slot = view.lane.first(slot + 1, wanted.ofNodes);
  }
  view.cursor = view.lane.places.length;
  return undefined;
}
