import { randomUUID } from "node:crypto";
import { runLeasedInvocation } from "#controllers/leased-invocation.ts";
import type { Configuration, Ports } from "#controllers/ports.ts";
import type { Settings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import type { Ec2Query, Ec2View } from "#ec2/view.ts";
import type { Clock } from "#ports/clock.ts";
import type { Cloud } from "#ports/cloud.ts";
import type { Cluster } from "#ports/cluster.ts";
import { type AwsIdentity, eksCredentials } from "../../../shared/adapters/kubernetes/eks-token.ts";
import { KubernetesCluster } from "../../../shared/adapters/kubernetes/kubernetes-cluster.ts";
import { LeaseStore } from "../../../shared/adapters/kubernetes/lease-store.ts";
import { Transport } from "../../../shared/adapters/kubernetes/transport.ts";
import { realClock } from "../../../shared/adapters/system/real-clock.ts";
import type { ControlPlane } from "../../support/control-plane/control-plane.ts";
import { requestLimits } from "./request-limits.ts";
import type { TickNote } from "./tick-messages.ts";
import { TickRunner } from "./tick-runner.ts";

export type Mode =
  /** Invocations that stay while there is work, in one warm process. */
  | "staying"
  /** As that, until their time is over when there is none, and each in an operating system process of its own. */
  | "seconds"
  /** Every tick in an operating system process of its own, which ends with it. */
  | "process-per-tick";

/**
 * In the middle; the function is invoked at a moment that nobody chose, and sooner than each minute, so that a scenario is
 * over within seconds.
 */
const usualPauseMs = 900;

/** The reconcile function, invoked again and again at moments that nobody chose. */
export class Runs {
  mode: Mode = "staying";
  readonly reports: TickNote[] = [];
  /** Invocations that died, and of what. */
  readonly failures: string[] = [];
  readonly endings: string[] = [];
  /** Of the API server, as invocations in this process met and told them. */
  readonly outages: string[] = [];
  /** When CreateFleet was called for each claim, ms since the epoch. */
  readonly launchedAtMs = new Map<string, number>();
  readonly #controlPlane: Pick<ControlPlane, "url" | "caPem">;
  readonly #cloud: Cloud<Ec2Query, Ec2View>;
  readonly #processes: TickRunner;
  readonly #identity: AwsIdentity;
  readonly #configuration: Configuration<Ec2Query, Ec2View>;
  #stopping = false;
  #loops: Promise<void>[] = [];
  /** Rejects when the functions are stopped. */
  #ended: Promise<never> = new Promise(() => undefined);
  #end: () => void = () => undefined;
  #freezeMs = 0;
  /** How far the functions' clock is ahead of the cluster's. */
  #aheadMs = 0;
  readonly #clock: Clock = {
    nowMs: () => Date.now() + this.#aheadMs,
    sleepUntil: (atMs) => realClock.sleepUntil(atMs - this.#aheadMs),
  };

  constructor(
    controlPlane: Pick<ControlPlane, "url" | "caPem">,
    cloud: Cloud<Ec2Query, Ec2View>,
    identity: AwsIdentity,
    settings: Settings,
  ) {
    this.#controlPlane = controlPlane;
    this.#cloud = {
      observe: cloud.observe,
      apply: async (command) => {
        if (command.kind !== "launch-instance") return cloud.apply(command);
        this.launchedAtMs.set(command.nodeClaim, Date.now());
        const outcome = await cloud.apply(command);
        const pauseMs = this.#freezeMs;
        this.#freezeMs = 0;
        await realClock.sleepUntil(Date.now() + pauseMs);
        return outcome;
      },
    };
    this.#processes = new TickRunner(this.#cloud, (note) => this.reports.push(note));
    this.#identity = identity;
    this.#configuration = { provider: ec2Provider, settings, seed: 1 };
  }

  start(mode: Mode): void {
    this.mode = mode;
    this.#stopping = false;
    this.#ended = new Promise((_, reject) => {
      this.#end = () => reject(new Error("stopped"));
    });
    this.#ended.catch(() => undefined);
    this.#loops = [this.#loop()];
  }

  /** So many further schedules that overlap with the first, as async retries do; each waits so long between its runs. */
  also(loops: number, pauseMs = usualPauseMs): void {
    this.#loops.push(...Array.from({ length: loops }, () => this.#loop(pauseMs)));
  }

  /** Ends all and begins one. */
  async alone(): Promise<void> {
    await this.stop();
    this.start(this.mode);
  }

  /** One function, with the cluster's clock and quick launches, whatever a scenario that failed has left. */
  async asUsual(): Promise<void> {
    this.#freezeMs = 0;
    if (this.#loops.length === 1 && this.#aheadMs === 0) return;
    this.#aheadMs = 0;
    await this.alone();
  }

  /** What invocations died of since this was last asked. */
  takeFailures(): readonly string[] {
    return this.failures.splice(0);
  }

  /** Ends all and begins one for which it is so much later. */
  async later(byMs: number): Promise<void> {
    await this.stop();
    this.#aheadMs = byMs;
    this.start(this.mode);
  }

  /** The next launch takes effect, and its answer comes so much later: to the function time has stood still. */
  freezeNextLaunch(ms: number): void {
    this.#freezeMs = ms;
  }

  /** Ends waiting functions where they wait, as a crash does; a Lease is still handed over. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#end();
    if (this.mode === "seconds") this.#processes.killAll();
    await Promise.all(this.#loops);
  }

  close(): void {
    this.#processes.close();
  }

  connect(identity = this.#identity): Transport {
    const { url, caPem } = this.#controlPlane;
    const credentials = eksCredentials({
      ...{ clusterName: this.#configuration.settings.clusterName, region: "us-east-1" },
      identity: async () => identity,
      nowMs: Date.now,
    });
    return new Transport({ url, caPem }, credentials, (message) => this.outages.push(message));
  }

  async #loop(pauseMs = usualPauseMs): Promise<void> {
    const warm = this.connect();
    while (!this.#stopping) {
      try {
        this.endings.push(await (this.mode === "staying" ? this.#stay(warm) : this.#alone()));
      } catch (error) {
        if (this.#stopping) break;
        this.failures.push(error instanceof Error ? error.message : String(error));
      }
      await realClock.sleepUntil(Date.now() + pauseMs * (0.3 + 1.4 * Math.random()));
    }
    warm.close();
  }

  async #stay(transport: Transport): Promise<string> {
    const cluster = new KubernetesCluster(transport);
    const invocation = {
      name: randomUUID(),
      leases: new LeaseStore(transport),
      limits: requestLimits,
      reaction: "minute" as const,
    };
    try {
      return (await runLeasedInvocation(invocation, this.#ports(cluster), this.#configuration)).kind;
    } finally {
      cluster.close();
    }
  }

  /** In a process of its own, from its start to its end. */
  #alone(): Promise<string> {
    const { url, caPem } = this.#controlPlane;
    const { settings, seed } = this.#configuration;
    return this.#processes.run({
      ...{ kind: "order", url, caPem, identity: this.#identity, settings, seed },
      aheadMs: this.#aheadMs,
      ...(this.mode === "seconds" ? { stays: "seconds" } : {}),
    });
  }

  #ports(cluster: KubernetesCluster): Ports<Ec2Query, Ec2View> {
    const telemetry = {
      tick: ({ decisions, steps }: TickNote): void => {
        this.reports.push({ decisions, steps });
      },
    };
    const timed: Cluster = {
      observe: cluster.observe,
      apply: cluster.apply,
      nextChange: (deadlineMs, of) => Promise.race([cluster.nextChange(deadlineMs - this.#aheadMs, of), this.#ended]),
    };
    return { cluster: timed, cloud: this.#cloud, clock: this.#clock, telemetry };
  }
}
