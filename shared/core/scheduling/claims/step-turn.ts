/**
 * One class at one step of relaxation while its pods are placed: how far it has looked. Places only fill up and hosts
 * only get more pods, so a place that was passed over is not looked at again in the same turn. Karpenter counterpart:
 * none, because it looks at each pod by itself.
 */

import type { NodeLane } from "../nodes/node-lanes.ts";
import type { Step } from "../pods/class-in-work.ts";
import type { ClassRules } from "../topology/class-rules.ts";
import type { LaneBook, Search, StepLanes, Wanted } from "./step-lanes.ts";

export interface NodeView {
  readonly lane: NodeLane;
  cursor: number;
}

export class StepTurn {
  readonly step: Step;
  readonly lanes: StepLanes;
  readonly wanted: Wanted;
  readonly nodes: readonly NodeView[];
  /** By search and lane entry: slots before this one are of no use for the search. */
  readonly cursors: Readonly<Record<Search, number[]>> = { whole: [], half: [], any: [] };
  #failed: readonly number[] | undefined;

  constructor(step: Step, nodeLanes: readonly NodeLane[], book: LaneBook) {
    this.step = step;
    this.lanes = book.lanesOf(step);
    this.wanted = book.wantedBy(step);
    this.nodes =
      nodeLanes.length === 0 ? [] : nodeLanes.filter((lane) => lane.suits(step)).map((lane) => ({ lane, cursor: 0 }));
  }

  /** Nothing was found. It is looked again when a count that can open a domain has changed. */
  fail(): void {
    this.#failed = openingCounts(this.step.rules);
  }

  get isHopeless(): boolean {
    if (this.#failed === undefined) return false;
    const now = openingCounts(this.step.rules);
    return now.every((count, i) => count === this.#failed?.[i]);
  }
}

/** Equal as long as no domain can have opened for the class: fewest of spreads, and whether there is company. */
export function openingCounts({ byKey, onHost }: ClassRules): readonly number[] {
  return [...byKey, onHost].flatMap(({ spreads, nears }) => [
    ...spreads.map(({ fewest }) => fewest),
    ...nears.map(({ counts }) => counts.total - counts.unsettled),
  ]);
}
