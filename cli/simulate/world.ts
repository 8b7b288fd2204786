import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { handleInterruptions } from "#controllers/interruption.ts";
import { instanceIdOf } from "#core/nodeclaim/instance-presence.ts";
import type { Reason } from "#core/reason.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { TickReport } from "#ports/telemetry.ts";
import type { BusMessage } from "#simulator/machine.ts";
import { createSimulation, type Simulation } from "#simulator/simulation.ts";
import { allGauges } from "../../shared/adapters/telemetry/metrics/all-gauges.ts";
import { PodTimes } from "../../shared/adapters/telemetry/metrics/pod-times.ts";
import { SeriesBook } from "../../shared/adapters/telemetry/metrics/series-book.ts";
import { tickSamples } from "../../shared/adapters/telemetry/metrics/tick-samples.ts";
import { Invocations } from "./invocations.ts";
import { News } from "./news.ts";
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
/** SQS: a message that was not acknowledged is seen again after so long, ms, and so often before it is put aside. */
const visibilityMs = 30_000;
const receivesMax = 5;
/** With `--interrupt`, per instance: often enough that half an hour shows some. */
const interruptionsPerHour = 2;

export interface WorldOptions {
  readonly seed: number;
  /** Ms since the epoch. */
  readonly startMs: number;
  /** The spot market takes instances back now and then. */
  readonly interruptions: boolean;
  /** Times in which NodePools rest. */
  readonly offHours: Settings["offHours"];
  /** Metrics are wanted at the end. */
  readonly metrics: boolean;
}

/** A simulated cluster and account with Outrigger running against them, and the timeline of what happens. */
export class World {
  readonly startMs: number;
  readonly simulation: Simulation;
  readonly timeline: Timeline;
  readonly placements = new PlacementReasons();
  readonly metrics: SeriesBook | undefined;
  readonly #podTimes = new PodTimes();
  readonly #news = new News();
  /** Causes by the name of the claim. */
  readonly #ended = new Map<string, string>();
  readonly #invocations: Invocations<Ec2Query, Ec2View>;

  constructor({ seed, startMs, interruptions, offHours, metrics }: WorldOptions) {
    this.metrics = metrics ? new SeriesBook() : undefined;
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
      () => {
        const session = cluster.connect();
        return { ports: { cluster: session, cloud, clock, telemetry }, close: session.close };
      },
      { provider: ec2Provider, settings: { ...settings, offHours }, seed },
    );
    bus.subscribe((message) => this.#interruption(message));
    watchPods(this.simulation.api.store, clock, (text) => this.tell({ kind: "pods", message: text }));
  }

  get nowMs(): number {
    return this.simulation.clock.nowMs();
  }

  /** How many claims Outrigger ended, by cause. */
  get ended(): Readonly<Record<string, number>> {
    const counts = new Map<string, number>();
    for (const cause of [...this.#ended.values()].sort()) counts.set(cause, (counts.get(cause) ?? 0) + 1);
    return Object.fromEntries(counts);
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
    this.simulation.cloud.avoid(...machinesIn(objects));
    return this.simulation.cluster.load(objects).map(({ message }) => message);
  }

  tell(...happenings: readonly Happening[]): void {
    this.timeline.add(this.nowMs, happenings);
  }

  /** Schedules Outrigger's ticks up to `untilMs`. */
  start(untilMs: number): void {
    this.#invocations.schedule(this.startMs, untilMs);
  }

  #count(reasons: readonly Reason[]): void {
    for (const { about, code, data } of reasons) {
      if (about.kind !== "NodeClaim" || code !== "claim-deleted" || typeof data?.cause !== "string") continue;
      if (!this.#ended.has(about.name)) this.#ended.set(about.name, data.cause);
    }
  }

  #ticked(report: TickReport): void {
    const { decisions, steps } = report;
    this.#count(decisions.flatMap(({ decision }) => decision.reasons));
    const samples = [...tickSamples(report), ...this.#podTimes.samples(report), ...allGauges(report, "simulated")];
    this.metrics?.add(samples);
    const placed = this.placements.hear(decisions.flatMap(({ decision }) => decision.reasons));
    const news = this.#news.hear(placed, this.nowMs);
    this.tell(...happeningsOf(news, steps));
  }

  /** The `interruption` function: acts on the message at once, then wakes `reconcile`. */
  #interruption(message: BusMessage, receives = 1): void {
    const { clock, cluster } = this.simulation;
    clock.spawn(async () => {
      const batch = [{ id: message.id, body: message }];
      const report = await handleInterruptions(batch, { provider: ec2Provider }, { cluster, clock });
      this.#count(report.decision.reasons);
      this.tell(...happeningsOf(report.decision.reasons, report.steps));
      if (report.acted) this.#invocations.wake();
      if (report.failed.length === 0 || receives >= receivesMax) return;
      clock.after(visibilityMs, () => this.#interruption(message, receives + 1));
    });
  }
}

/** The instance ids and node names of machines that objects of a live cluster tell of. */
function machinesIn(objects: readonly KubeObject[]): readonly [instanceIds: string[], nodeNames: string[]] {
  const nodes = objects.filter((object): object is Node => object.kind === "Node");
  const claims = objects.filter((object): object is NodeClaim => object.kind === "NodeClaim");
  const providerIds = [...nodes.map(({ spec }) => spec.providerID), ...claims.map(({ status }) => status?.providerID)];
  return [
    providerIds.flatMap((providerId) => (providerId === undefined ? [] : instanceIdOf(providerId))),
    [...nodes.map(({ metadata }) => metadata.name), ...claims.flatMap(({ status }) => status?.nodeName ?? [])],
  ];
}
