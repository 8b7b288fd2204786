/**
 * The nodes of a cluster, sorted into lanes of nodes alike, so that a class of pods looks at each kind of node once.
 * Karpenter counterpart: scheduler.go, addToExistingNode, which asks every node for every pod; the first node in the same
 * order takes it here too.
 */
import type { Step } from "../pods/class-in-work.ts";
import type { Place } from "../topology/whereabouts.ts";
import type { UndoLog } from "../undo-log.ts";
import type { NodeInWork } from "./existing-node.ts";
import { type RoomAsk, RoomTree } from "./room-tree.ts";

export interface PlacedNode extends Place {
  readonly node: NodeInWork;
  /** Its number among all nodes: the first that can take a pod does. */
  readonly order: number;
}

export class NodeLane {
  /** In the order of all nodes. */
  readonly places: PlacedNode[] = [];
  readonly #tree: RoomTree;

  constructor(width: number) {
    this.#tree = new RoomTree(width);
  }

  put(place: PlacedNode): void {
    this.places.push(place);
    this.#tree.set(this.#tree.push(), place.node.free);
  }

  note(slot: number): void {
    const place = this.places[slot];
    if (place !== undefined) this.#tree.set(slot, place.node.free);
  }

  /** The place is about to change. */
  logTo(log: UndoLog, slot: number): void {
    const undo = this.places[slot]?.node.undo();
    if (undo === undefined) return;
    log.push(() => {
      undo();
      this.note(slot);
    });
  }

  /** Nothing fits there any more. */
  close(slot: number): void {
    this.#tree.remove(slot);
  }

  /** The first slot from `from` on with such room, or -1. */
  first(from: number, wanted: RoomAsk): number {
    return this.#tree.first(from, wanted);
  }

  /** Labels and taints suit the step. */
  suits({ tolerance, alternatives }: Step): boolean {
    const [sample] = this.places;
    if (sample === undefined) return false;
    const { node } = sample;
    return tolerance.covers(node.node.taints, node.kind.taints) && node.meets(alternatives);
  }
}

export function nodeLanes(places: readonly PlacedNode[], width: number): readonly NodeLane[] {
  const lanes = new Map<string, NodeLane>();
  for (const place of places) {
    const { text } = place.node.kind;
    const lane = lanes.get(text) ?? new NodeLane(width);
    lanes.set(text, lane);
    lane.put(place);
  }
  return [...lanes.values()];
}
