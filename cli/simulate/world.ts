import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { handleInterruptions } from "#controllers/interruption.ts";
import type { Decision } from "#core/decision.ts";
import { type InterruptionNotice, interrupt } from "#core/nodeclaim/interruption.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { parseMessage } from "#ec2/interruption/message.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { TickReport } from "#ports/telemetry.ts";
import type { BusMessage } from "#simulator/machine.ts";
import { createSimulation, type Simulation } from "#simulator/simulation.ts";
import { Invocations } from "./invocations.ts";
import { watchPods } from "./pod-watch.ts";
import { happeningsOf } from "./tick-happenings.ts";
import { Timeline } from "./timeline.ts";
import type { Happening } from "./timeline-entry.ts";
import { PlacementReasons } from "./unplaced.ts";

const clusterName = "demo";
const settings: Settings = {
  ...defaultSettings,
  clusterName,
  clusterIdentity: "arn:aws:eks:us-east-1:111122223333:cluster/demo 2026-10-01T00:00:00Z",
};
const interruptEc2 = (cluster: ClusterView, nowMs: number, notices: readonly InterruptionNotice[]): Decision =>
  interrupt({ ...cluster, nowMs, nodeClass: ec2Provider.nodeClass, notices });
/** With `--interrupt`, per instance: often enough that half an hour shows some. */
const interruptionsPerHour = 2;

export interface WorldOptions {
  readonly seed: number;
  /** Ms since the epoch. */
  readonly startMs: number;
  /** The spot market takes instances back now and then. */
  readonly interruptions: boolean;
}

/** A simulated cluster and account with Outrigger running against them, and the timeline of what happens. */
export class World {
  readonly startMs: number;
  readonly simulation: Simulation;
  readonly timeline: Timeline;
  readonly placements = new PlacementReasons();
  readonly #invocations: Invocations<Ec2Query, Ec2View>;

  constructor({ seed, startMs, interruptions }: WorldOptions) {
    this.startMs = startMs;
    this.timeline = new Timeline(startMs);
    this.simulation = createSimulation({
      seed,
      startMs,
      clusterName,
      ...(interruptions ? { interruptionsPerHour } : {}),
    });
    const { clock, cluster, cloud, bus } = this.simulation;
    const telemetry = { tick: (report: TickReport) => this.#ticked(report) };
    this.#invocations = new Invocations(
      clock,
      { cluster, cloud, clock, telemetry },
      { provider: ec2Provider, settings, seed },
    );
    bus.subscribe((message) => this.#interruption(message));
    watchPods(this.simulation.api.store, clock, (text) => this.tell({ kind: "pods", message: text }));
  }

  get nowMs(): number {
    return this.simulation.clock.nowMs();
  }

  get pods(): readonly Pod[] {
    return this.simulation.api.store.list("Pod");
  }

  get nodes(): readonly Node[] {
    return this.simulation.api.store.list("Node");
  }

  get claims(): readonly NodeClaim[] {
    return this.simulation.api.store.list("NodeClaim");
  }

  /** Puts objects into the cluster: all of them or, when the API server refuses one, none; then it says why. */
  load(objects: readonly KubeObject[]): readonly string[] {
    return this.simulation.cluster.load(objects).map(({ message }) => message);
  }

  tell(...happenings: readonly Happening[]): void {
    this.timeline.add(this.nowMs, happenings);
  }

  /** Schedules Outrigger's ticks up to `untilMs`. */
  start(untilMs: number): void {
    this.#invocations.schedule(this.startMs, untilMs);
  }

  #ticked({ decisions, steps }: TickReport): void {
    const news = this.placements.hear(decisions.flatMap(({ decision }) => decision.reasons));
    this.tell(...happeningsOf(news, steps));
  }

  /** The `interruption` function: acts on the message at once, then wakes `reconcile`. */
  #interruption(message: BusMessage): void {
    const answer = parseMessage(message);
    if (answer.kind !== "notices") return;
    const { clock, cluster } = this.simulation;
    clock.spawn(async () => {
      const batch: { id: string; notices: readonly InterruptionNotice[] } = { id: message.id, notices: answer.notices };
      const report = await handleInterruptions([batch], interruptEc2, { cluster, clock });
      this.tell(...happeningsOf(report.decision.reasons, report.steps));
      if (report.acted) this.#invocations.wake();
    });
  }
}
