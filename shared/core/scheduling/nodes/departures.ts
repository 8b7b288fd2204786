/**
 * The cluster minus some of its nodes, again and again: what one trial changes is taken back, so that it costs what its own
 * pods cost and not what the cluster does. Karpenter counterpart: pkg/controllers/disruption/helpers.go, SimulateScheduling,
 * which builds the whole world anew for each trial.
 */
import type { Pod } from "#api/core-v1/pod.ts";
import { asksOfPods, placeAll, placed, repeatsMax, reservationsOf } from "../attempt.ts";
import type { ClaimInWork } from "../claims/claim-in-work.ts";
import { Reservations } from "../instance-types/reservations.ts";
import { Placement } from "../placement.ts";
import type { ClassInWork, Step } from "../pods/class-in-work.ts";
import type { PreparedClass } from "../pods/class-preparer.ts";
import type { PreparedProblem } from "../prepared-problem.ts";
import { type Strategy, standard } from "../strategy.ts";
import type { Topology } from "../topology/topology.ts";
import { UndoLog } from "../undo-log.ts";
import { departureSites, type Leaving, type Run, type Site } from "./departure-sites.ts";
import type { NodeLane, PlacedNode } from "./node-lanes.ts";

/** How pods look for another place. */
export interface Search {
  /** Absent: no claim is made. */
  readonly newClaims?: Strategy;
  /**
   * Which wishes they may give up: `all`; `no-more`: none that is met where they are; `as-now`: those that are not met where
   * they are need not be tried.
   */
  readonly wishes: "all" | "no-more" | "as-now";
}

export interface Departed {
  readonly claims: readonly ClaimInWork[];
  /** With the pods that have no place. */
  readonly left: readonly ClassInWork[];
  /** Nodes that take pods. */
  readonly places: readonly PlacedNode[];
}

export class Departures {
  readonly #prepared: PreparedProblem;
  readonly #lanes: readonly NodeLane[];
  readonly #log = new UndoLog();
  readonly #sites: ReadonlyMap<string, Site>;
  readonly #order: ReadonlyMap<PreparedClass, number>;
  readonly #steps = new Map<string, readonly Step[]>();
  readonly #hasReserved: boolean;
  #classes: ReadonlyMap<Pod, PreparedClass> | undefined;

  /** `leaving`: by name of the node; pods of the problem that are on none of them are placed first, for good. */
  constructor(prepared: PreparedProblem, leaving: ReadonlyMap<string, Leaving>, closed: ReadonlySet<string>) {
    this.#prepared = prepared;
    const moving = new Set([...leaving.values()].flatMap(({ pods }) => pods));
    const base = placed(prepared, standard, ({ pods }) => pods.filter((pod) => !moving.has(pod)));
    this.#lanes = base.lanes;
    this.#hasReserved = !reservationsOf(prepared.problem).none;
    this.#order = new Map(prepared.classes.map((one, i) => [one, i]));
    prepared.topology.logTo(this.#log);
    this.#sites = departureSites(prepared, base.lanes, leaving);
    this.#log.backTo(0);
    for (const lane of base.lanes) {
      for (const [slot, { node }] of lane.places.entries()) if (closed.has(node.node.name)) lane.close(slot);
    }
  }

  has(name: string): boolean {
    return this.#sites.has(name);
  }

  /** Some of their pods have wishes that they could give up. */
  haveWishes(names: readonly string[]): boolean {
    return names.some((name) => this.#sites.get(name)?.runs.some(({ prepared }) => prepared.steps.length > 1));
  }

  /** A mark to come back to. */
  get mark(): number {
    return this.#log.mark;
  }

  backTo(mark: number): void {
    this.#log.backTo(mark);
  }

  /** The nodes go, on top of those that are gone already. Names without a site are passed over. */
  leave(names: readonly string[], search: Search): Departed {
    const { pools } = this.#prepared;
    for (const { limits } of pools) this.#log.push(limits.undo());
    const sites = names.flatMap((name) => this.#sites.get(name) ?? []);
    for (const site of sites) this.#remove(site);
    const from = this.#log.mark;
    let made = this.#place(this.#classesOf(sites, search.wishes), search);
    for (let i = 0; i < repeatsMax && this.#topology.isSurprised; i++) {
      const surprises = this.#topology.takeSurprises();
      this.#log.backTo(from);
      for (const one of surprises) this.#topology.foresee(one);
      made = this.#place(this.#classesOf(sites, search.wishes), search);
    }
    return made;
  }

  #remove({ place, lane, slot, runs, leaving }: Site): void {
    lane.close(slot);
    this.#log.push(() => lane.note(slot));
    this.#topology.forgetHost(place.host);
    for (const { prepared, counted } of runs) this.#topology.record(prepared.membership, -counted, place);
    const pool = this.#prepared.pools.find(({ nodePool }) => nodePool.metadata.name === leaving.nodePool);
    pool?.limits.release(leaving.capacity);
  }

  #place(classes: readonly ClassInWork[], { newClaims }: Search): Departed {
    const { sets, dimensions, profiles, problem } = this.#prepared;
    const reservations = newClaims !== undefined && this.#hasReserved ? reservationsOf(problem) : noReservations;
    const rules = { sets, dimensions, profiles, policy: problem.minValuesPolicy, reservations };
    const touched = new Set<PlacedNode>();
    const beforeChange = (lane: NodeLane, slot: number): void => {
      lane.logTo(this.#log, slot);
      const place = lane.places[slot];
      if (place !== undefined) touched.add(place);
    };
    this.#topology.takeSurprises();
    const ground = { lanes: this.#lanes, beforeChange };
    const placement = new Placement(ground, this.#topology, rules, newClaims !== undefined, newClaims ?? standard);
    if (newClaims === undefined) placeOnNodes(classes, placement);
    else placeAll(classes, placement);
    const left = classes.filter(({ waiting }) => waiting.length > 0);
    return { claims: placement.claims.map(({ claim }) => claim), left, places: [...touched] };
  }

  /** In the order of all classes; pods that may give up different wishes apart. */
  #classesOf(sites: readonly Site[], wishes: Search["wishes"]): readonly ClassInWork[] {
    const byKey = new Map<number, { readonly run: Run; readonly order: number; readonly pods: Pod[] }>();
    for (const run of this.#runsOf(sites)) {
      const order = this.#order.get(run.prepared) ?? 0;
      const key = wishes === "all" ? order : order + run.level * this.#order.size;
      const known = byKey.get(key);
      if (known === undefined) byKey.set(key, { run, order, pods: [...run.pods] });
      else known.pods.push(...run.pods);
    }
    return [...byKey.values()]
      .sort((a, b) => a.order - b.order || a.run.level - b.run.level)
      .map(({ run, order, pods }) => ({
        podClass: run.prepared.podClass,
        apartFrom: run.prepared.apartFrom,
        membership: run.prepared.membership,
        steps: this.#stepsOf(run, order, wishes),
        waiting: pods,
        deferred: false,
        failedAt: [],
      }));
  }

  /** A node that took pods of others which are gone already passes them on. */
  #runsOf(sites: readonly Site[]): readonly Run[] {
    return sites.flatMap(({ runs, place }) => {
      const received = place.node.pods;
      if (received.length === 0) return runs;
      const classOf = this.#classOfPod();
      const passed = received.flatMap((pod): readonly Run[] => {
        const prepared = classOf.get(pod);
        return prepared === undefined ? [] : [{ prepared, pods: [pod], counted: 1, level: prepared.steps.length - 1 }];
      });
      for (const { prepared, pods } of passed) this.#topology.record(prepared.membership, -pods.length, place);
      return [...runs, ...passed];
    });
  }

  #classOfPod(): ReadonlyMap<Pod, PreparedClass> {
    this.#classes ??= new Map(
      this.#prepared.classes.flatMap((one) => one.podClass.pods.map((pod) => [pod, one] as const)),
    );
    return this.#classes;
  }

  #stepsOf({ prepared: { steps }, level }: Run, order: number, wishes: Search["wishes"]): readonly Step[] {
    if (steps.length <= 1 || wishes === "all") return steps;
    const key = `${wishes} ${order} ${level}`;
    const known = this.#steps.get(key) ?? (wishes === "no-more" ? steps.slice(0, level + 1) : steps.slice(level));
    this.#steps.set(key, known);
    return known;
  }

  get #topology(): Topology {
    return this.#prepared.topology;
  }
}

/** Ends when it is sure that some pod finds no place. */
function placeOnNodes(classes: readonly ClassInWork[], placement: Placement): void {
  for (const one of classes) {
    placement.place(one);
    if (one.waiting.length > 0 && !asksOfPods(one)) return;
  }
  const left = classes.filter(({ waiting }) => waiting.length > 0);
  if (left.length > 0) placeAll(left, placement);
}

const noReservations = new Reservations("off", [], []);
