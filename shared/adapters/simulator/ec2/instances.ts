import type { Instance } from "#core/instance.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Ec2Delays } from "./delays.ts";
import { drawDelayMs, hexId } from "./seeded-draw.ts";

type State = Instance["state"];

/** What is fixed when an instance is launched. */
export interface LaunchFacts {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
  readonly pricePerHour: number;
  readonly imageId: string;
  readonly subnetId: string;
  readonly securityGroupIds: readonly string[];
  readonly reservationId?: string;
  readonly tags: Readonly<Record<string, string>>;
}

export interface InstanceRecord extends Omit<LaunchFacts, "tags"> {
  readonly id: string;
  readonly launchedAtMs: number;
  tags: Readonly<Record<string, string>>;
  /** What became of it so far, oldest first; never empty. */
  readonly history: { readonly state: State; readonly atMs: number }[];
  /** Observers see it as it was so long ago. */
  readonly staleMs: number;
}

/** Called at each change of state; the clock shows its time. */
export type StateListener = (record: InstanceRecord, state: State) => void;

/** The instances of the account and their states over time. */
export class Instances {
  readonly #clock: VirtualClock;
  readonly #seed: number;
  readonly #delays: Ec2Delays;
  readonly #onState: StateListener;
  readonly #records = new Map<string, InstanceRecord>();
  /** Those that a read may still show, in order of launch. */
  readonly #listed = new Map<string, InstanceRecord>();
  readonly #avoided = new Set<string>();
  #drawn = 0;

  constructor(clock: VirtualClock, seed: number, delays: Ec2Delays, onState: StateListener) {
    this.#clock = clock;
    this.#seed = seed;
    this.#delays = delays;
    this.#onState = onState;
  }

  launch(facts: LaunchFacts): InstanceRecord {
    const id = this.#nextId();
    const launchedAtMs = this.#clock.nowMs();
    const record: InstanceRecord = {
      ...facts,
      id,
      launchedAtMs,
      history: [],
      staleMs: drawDelayMs(this.#seed, `${id} stale`, this.#delays.staleMs),
    };
    this.#records.set(id, record);
    this.#listed.set(id, record);
    this.#enter(record, "pending");
    this.#clock.after(drawDelayMs(this.#seed, `${id} pending`, this.#delays.pendingMs), () => {
      if (stateOf(record) === "pending") this.#enter(record, "running");
    });
    return record;
  }

  /** Ids that instances elsewhere have: nodes and claims of the manifests name them. */
  avoid(ids: readonly string[]): void {
    for (const id of ids) this.#avoided.add(id);
  }

  /** Begins the end; doing it twice changes nothing. */
  terminate(record: InstanceRecord): void {
    const state = stateOf(record);
    if (state === "shutting-down" || state === "terminated") return;
    this.#enter(record, "shutting-down");
    this.#clock.after(drawDelayMs(this.#seed, `${record.id} end`, this.#delays.shuttingDownMs), () => {
      this.#enter(record, "terminated");
      const listedMs = this.#delays.terminatedListedMs + record.staleMs;
      this.#clock.after(listedMs, () => this.#listed.delete(record.id));
    });
  }

  /** Somebody stops it by hand, or EC2 does. */
  stop(record: InstanceRecord): void {
    if (stateOf(record) !== "running") return;
    this.#enter(record, "stopping");
    this.#clock.after(drawDelayMs(this.#seed, `${record.id} stop`, this.#delays.shuttingDownMs), () => {
      if (stateOf(record) === "stopping") this.#enter(record, "stopped");
    });
  }

  get(id: string): InstanceRecord | undefined {
    return this.#records.get(id);
  }

  /** All that ever were, in order of launch. */
  all(): readonly InstanceRecord[] {
    return [...this.#records.values()];
  }

  /** What DescribeInstances shows now: each as it was `staleMs` ago, a fresh one not at all; sorted by id. */
  observed(): readonly Instance[] {
    const nowMs = this.#clock.nowMs();
    return [...this.#listed.values()]
      .flatMap((record) => {
        const state = stateAt(record, nowMs - record.staleMs);
        return state === undefined ? [] : [instanceOf(record, state)];
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** True once calls that name it find it. */
  isKnown(record: InstanceRecord): boolean {
    return this.#listed.has(record.id) && stateAt(record, this.#clock.nowMs() - record.staleMs) !== undefined;
  }

  #nextId(): string {
    // Each avoided id is met once at most.
    for (;;) {
      const id = hexId("i", `${this.#seed} instance ${this.#drawn++}`);
      if (!this.#avoided.has(id)) return id;
    }
  }

  #enter(record: InstanceRecord, state: State): void {
    record.history.push({ state, atMs: this.#clock.nowMs() });
    this.#onState(record, state);
  }
}

export function stateOf(record: InstanceRecord): State {
  return record.history.at(-1)?.state ?? "pending";
}

function stateAt(record: InstanceRecord, atMs: number): State | undefined {
  return record.history.findLast((change) => change.atMs <= atMs)?.state;
}

/** The instance as the Cloud port shows it. */
export function instanceOf(record: InstanceRecord, state: State): Instance {
  const { id, zone, instanceType, capacityType, imageId, launchedAtMs, tags, subnetId, securityGroupIds } = record;
  const { reservationId } = record;
  const providerID = `aws:///${zone}/${id}`;
  return {
    ...{ id, providerID, state, instanceType, zone, capacityType, imageId, launchedAtMs, tags, subnetId },
    securityGroupIds,
    ...(reservationId === undefined ? {} : { reservationId }),
  };
}
