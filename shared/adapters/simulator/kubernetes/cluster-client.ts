import { stateName } from "#api/outrigger-names.ts";
import type { ClusterCommand } from "#core/command.ts";
import type { Fault } from "#core/fault.ts";
import type { Outcome } from "#core/outcome.ts";
import type { ClusterView } from "#core/snapshot.ts";
import type { ChangesOf, Cluster, LookScope, Woken } from "#ports/cluster.ts";
import type { ApiServer } from "./api-server/api-server.ts";
import type { Change } from "./api-server/store.ts";
import { ChangeWaits } from "./change-waits.ts";
import { kindsRead, viewOf } from "./cluster-view.ts";
import { write } from "./command-writer.ts";
import { faultOf } from "./fault-table.ts";

/** What can go wrong with a call, and how long one takes. Read at every call, so a test may change it in between. */
export interface ClientConditions {
  /** The call fails with this fault and has no effect. */
  readonly faults?: (command: ClusterCommand) => Fault | undefined;
  /** The call takes effect, and the caller hears this fault. */
  readonly lostAnswers?: (command: ClusterCommand) => Fault | undefined;
  /** Of one call. 0 needs no coroutine of the virtual clock around it. */
  readonly apiLatencyMs?: number;
}

/**
 * One client's session with the simulated API server. What the client writes itself does not count as a change for it: a
 * tick folds its own outcomes into what it sees, and would otherwise wake itself for ever. What others make of its
 * writes counts, as do writes of another client.
 */
export class ClusterClient implements Cluster {
  readonly #api: ApiServer;
  readonly #conditions: () => ClientConditions;
  readonly #kindsRead: ReadonlySet<string>;
  /** Ends the session: nothing is heard any more. */
  readonly close: () => void;
  #writing = false;
  readonly #waits: ChangeWaits;

  constructor(api: ApiServer, conditions: () => ClientConditions = () => ({})) {
    this.#api = api;
    this.#waits = new ChangeWaits(api.clock);
    this.#conditions = conditions;
    this.#kindsRead = kindsRead(api);
    this.close = api.store.listen((change) => this.#hear(change));
  }

  readonly observe = async (scope: LookScope): Promise<ClusterView> => {
    this.#waits.look();
    return viewOf(this.#api, scope, () => this.#latency());
  };

  readonly apply = async (command: ClusterCommand): Promise<Outcome> => {
    const { faults, lostAnswers } = this.#conditions();
    await this.#latency();
    const fault = faults?.(command);
    if (fault !== undefined) return { kind: "failed", fault };
    const outcome = this.#write(command);
    const lost = lostAnswers?.(command);
    return lost === undefined ? outcome : { kind: "failed", fault: lost };
  };

  readonly nextChange = (deadlineMs: number, of?: ChangesOf): Promise<Woken> => this.#waits.nextChange(deadlineMs, of);

  #write(command: ClusterCommand): Outcome {
    this.#writing = true;
    try {
      const answer = write(command, this.#api);
      if (answer.kind === "refused") return { kind: "failed", fault: faultOf(answer) };
      return this.#isThere(command, answer.object.metadata)
        ? { kind: "done", object: answer.object }
        : { kind: "done" };
    } finally {
      this.#writing = false;
    }
  }

  /** An object that the write removed is not answered; the eviction API answers no object at all. */
  #isThere(command: ClusterCommand, metadata: { readonly name: string; readonly namespace?: string }): boolean {
    if (command.kind === "evict-pod") return false;
    if (!("target" in command)) return true;
    const { kind, objectKind } = command.target;
    const stored = kind === "NodeClass" ? (objectKind ?? kind) : kind;
    return this.#api.get(stored, metadata.name, metadata.namespace).kind === "ok";
  }

  #latency(): Promise<void> | undefined {
    const { apiLatencyMs = 0 } = this.#conditions();
    return apiLatencyMs === 0 ? undefined : this.#api.clock.sleepUntil(this.#api.clock.nowMs() + apiLatencyMs);
  }

  #hear({ object, type }: Change): void {
    const isState = object.kind === "ConfigMap" && object.metadata.name === stateName;
    if (this.#writing || !(isState || this.#kindsRead.has(object.kind))) return;
    this.#waits.hear(type === "DELETED" ? undefined : object);
  }
}
