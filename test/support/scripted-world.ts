import type { KubeObject } from "#api/core-v1/meta.ts";
import type { Configuration, Ports } from "#controllers/ports.ts";
import type { CloudProvider } from "#core/cloud-provider.ts";
import type { Command } from "#core/command.ts";
import type { Decision } from "#core/decision.ts";
import type { MessageAnswer } from "#core/interruption-notice.ts";
import type { Outcome } from "#core/outcome.ts";
import { defaultSettings } from "#core/settings.ts";
import { type ClusterView, emptyCluster, type Snapshot } from "#core/snapshot.ts";
import type { TickReport } from "#ports/telemetry.ts";
import { ChangeWaits } from "#simulator/kubernetes/change-waits.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";

const unknown = (): { kind: "unknown"; message: string } => ({ kind: "unknown", message: "no types here" });

/** A cloud that has nothing to sell; its one stage decides what the test says. */
export function scriptedProvider(
  decide: (snapshot: Snapshot) => Decision,
  readMessage: (body: unknown) => MessageAnswer = unknown,
): CloudProvider<undefined, unknown> {
  return {
    name: "scripted",
    nodeClass: { group: "scripted.example", kind: "ScriptedClass", label: "scripted.example/scriptedclass" },
    wellKnownLabels: [],
    query: () => undefined,
    nodeClasses: decide,
    instanceTypes: unknown,
    instanceTypesOfClaim: unknown,
    planLaunch: () => ({ kind: "not-ready", message: "nothing is launched here" }),
    launched: () => ({ labels: {}, annotations: {}, capacity: {}, allocatable: {} }),
    readMessage,
  };
}

/** Ports on a virtual clock: the cluster shows `view`, answers commands by `answer` and changes when it is told to. */
export class ScriptedWorld {
  readonly clock = new VirtualClock(0);
  readonly reports: TickReport[] = [];
  readonly applied: Command[] = [];
  readonly scopes: string[] = [];
  view: ClusterView = emptyCluster;
  answer: (command: Command) => Outcome = () => ({ kind: "done" });
  readonly #waits = new ChangeWaits(this.clock);

  readonly ports: Ports<undefined, unknown> = {
    cluster: {
      observe: async (scope) => {
        this.scopes.push(scope);
        this.#waits.look();
        return this.view;
      },
      apply: (command) => this.#apply(command),
      nextChange: (deadlineMs, of) => this.#waits.nextChange(deadlineMs, of),
    },
    cloud: {
      observe: async () => ({ instances: [], incomplete: [], view: undefined }),
      apply: (command) => this.#apply(command),
    },
    clock: this.clock,
    telemetry: { tick: (report) => this.reports.push(report) },
  };

  configuration(decide: (snapshot: Snapshot) => Decision): Configuration<undefined, unknown> {
    return { provider: scriptedProvider(decide), settings: defaultSettings, seed: 1 };
  }

  /** A pod comes at each of these times. */
  podAt(...timesMs: readonly number[]): void {
    for (const atMs of timesMs) {
      const metadata = { name: `pod-${atMs}`, namespace: "default", uid: `pod-${atMs}` };
      this.#hearAt(atMs, { apiVersion: "v1", kind: "Pod", metadata, ...{ spec: { containers: [] } } });
    }
  }

  /** A node that waits to be registered comes at each of these times. */
  nodeAt(...timesMs: readonly number[]): void {
    const taints = [{ key: "karpenter.sh/unregistered", effect: "NoExecute" }];
    for (const atMs of timesMs) {
      this.#hearAt(atMs, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name: `node-${atMs}` },
        ...{ spec: { taints } },
      });
    }
  }

  #hearAt(atMs: number, object: KubeObject): void {
    this.clock.at(atMs, () => this.#waits.hear(object));
  }

  get looks(): number {
    return this.scopes.length;
  }

  /** What a tick would see now. */
  snapshot(): Snapshot {
    return {
      ...{ nowMs: this.clock.nowMs(), seed: 1, decisionId: "scripted", settings: defaultSettings },
      ...{ cluster: this.view, cloud: { instances: [], incomplete: [], view: undefined }, steps: [] },
    };
  }

  /** When the ticks were, ms. */
  get tickTimes(): readonly number[] {
    return this.reports.map(({ snapshot }) => snapshot.nowMs);
  }

  async #apply(command: Command): Promise<Outcome> {
    this.applied.push(command);
    return this.answer(command);
  }
}
