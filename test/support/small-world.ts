/**
 * A simulated API server without controllers, and a cloud of a few lines, for tests of how stages follow each other.
 * Writes go the way that the Cluster contract holds; nothing happens by itself, the test says what does between ticks.
 */
import type { KubeObject } from "#api/core-v1/meta.ts";
import { stateName, stateNamespace } from "#api/outrigger-names.ts";
import { act } from "#controllers/act.ts";
import { fold } from "#controllers/fold.ts";
import type { CloudCommand, Command } from "#core/command.ts";
import type { Fault, FaultKind } from "#core/fault.ts";
import type { Instance } from "#core/instance.ts";
import type { Outcome, Step } from "#core/outcome.ts";
import type { Settings } from "#core/settings.ts";
import type { ClusterView, Snapshot } from "#core/snapshot.ts";
import type { Stage } from "#core/stage.ts";
import { ApiServer } from "#simulator/kubernetes/api-server/api-server.ts";
import { isRefusal, throughDoor } from "#simulator/kubernetes/api-server/creation.ts";
import { nodeClassKind, type ResourceKind } from "#simulator/kubernetes/api-server/resource-kinds.ts";
import { ClusterClient } from "#simulator/kubernetes/cluster-client.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { instanceOf, nodeClass, snapshotOf } from "./lifecycle-samples.ts";

/** Parts of a view that no API server holds. */
type Beside = Pick<ClusterView, "problems" | "unsupported">;

export class SmallWorld {
  /** The test moves it; the API server's clock follows. */
  atMs: number;
  incomplete: readonly string[] = [];
  instances: Instance[] = [];
  beside: Partial<Beside> = {};
  /** What a command meets instead of being carried out. */
  fault: (command: Command) => FaultKind | undefined = () => undefined;
  /** The process dies before this stage. */
  diesBefore: string | undefined;
  /** The process dies after so many more commands: what it would do next, in any tick, is not done; then it lives again. */
  diesAfter = Number.POSITIVE_INFINITY;
  steps: readonly Step[] = [];
  /** Settings that differ from the defaults. */
  settings: Partial<Settings> = {};
  readonly #clock: VirtualClock;
  readonly #api: ApiServer;
  readonly #client: ClusterClient;

  constructor(atMs: number, { state, problems, unsupported, ...lists }: Partial<ClusterView>) {
    this.atMs = atMs;
    this.#clock = new VirtualClock(atMs);
    const { group, kind } = nodeClass;
    const customKinds = [nodeClassKind(kind, `${group}/v1`, `${kind.toLowerCase()}es`)];
    this.#api = new ApiServer({ clock: this.#clock, seed: 1, customKinds });
    this.#client = new ClusterClient(this.#api, () => ({ faults: (command) => this.#faultOf(command) }));
    for (const name of ["default", "kube-system"])
      this.put({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (const objects of Object.values(lists)) for (const object of objects) this.put(object);
    if (state !== undefined) this.#putState(state);
    this.beside = {
      ...(problems === undefined ? {} : { problems }),
      ...(unsupported === undefined ? {} : { unsupported }),
    };
  }

  /** Stores the object as it is, with UID, times and status: it was there before the test looked. */
  put(object: KubeObject): void {
    const kind = this.#kindOf(object.kind);
    const parsed = throughDoor(kind, structuredClone(object) as unknown as Readonly<Record<string, unknown>>);
    if (isRefusal(parsed)) throw new Error(`${object.kind} ${object.metadata.name}: ${parsed.message}`);
    this.#api.store.put(kind, parsed);
  }

  /** `name` of namespaced objects: "namespace/name". */
  remove(kind: string, name: string): void {
    const object = this.get(kind, name);
    if (object !== undefined) this.#api.discard(object);
  }

  get<T extends KubeObject>(kind: string, name: string): T | undefined {
    return this.#api.store.get(kind, name) as T | undefined;
  }

  get state(): Readonly<Record<string, string>> {
    return this.#api.store.get("ConfigMap", `${stateNamespace}/${stateName}`)?.data ?? {};
  }

  async snapshot(): Promise<Snapshot> {
    await this.#clock.runUntil(this.atMs);
    const { atMs, incomplete, instances } = this;
    const cluster = { ...(await this.#client.observe("everything")), ...this.beside };
    const snapshot = snapshotOf(cluster, { instances: [...instances], incomplete, atMs });
    return { ...snapshot, settings: { ...snapshot.settings, ...this.settings }, decisionId: `decision-${atMs}` };
  }

  /** One tick with these stages; answers the snapshot after it. */
  async tick(stages: readonly Stage[]): Promise<Snapshot> {
    let snapshot = await this.snapshot();
    for (const stage of stages) {
      if (stage.name === this.diesBefore) break;
      const steps = await this.#actUntilDeath(stage.name, stage.decide(snapshot).commands);
      if (steps === undefined) break;
      snapshot = fold(snapshot, steps);
    }
    this.steps = snapshot.steps;
    return snapshot;
  }

  /** Undefined when the process died on the way. */
  async #actUntilDeath(stage: string, commands: readonly Command[]): Promise<readonly Step[] | undefined> {
    try {
      return await this.act(stage, commands);
    } catch (error) {
      if (!(error instanceof Death)) throw error;
      this.diesAfter = Number.POSITIVE_INFINITY;
      return undefined;
    }
  }

  /** Carries the commands out as a tick does. */
  async act(stage: string, commands: readonly Command[]): Promise<readonly Step[]> {
    await this.#clock.runUntil(this.atMs);
    return act(stage, commands, {
      cluster: this.#client,
      cloud: {
        apply: async (command: CloudCommand) => {
          const fault = this.#faultOf(command);
          return fault === undefined ? this.applyToCloud(command) : { kind: "failed", fault };
        },
      },
    });
  }

  applyToCloud(command: CloudCommand): Outcome {
    switch (command.kind) {
      case "launch-instance": {
        const instance = instanceOf(command.nodeClaim, { launchedAtMs: this.atMs, state: "pending" });
        // The same request again: its token is made of the claim.
        const before = this.instances.find(({ id, state }) => id === instance.id && state !== "terminated");
        if (before !== undefined) return { kind: "done", instance: before };
        this.instances.push(instance);
        return { kind: "done", instance };
      }
      case "terminate-instance": {
        const index = this.instances.findIndex(({ id }) => id === command.instanceId);
        const instance = this.instances[index];
        if (instance === undefined) return failed("not-found");
        this.instances[index] = { ...instance, state: "shutting-down" };
        return { kind: "done" };
      }
      default:
        return { kind: "done" };
    }
  }

  #faultOf(command: Command): Fault | undefined {
    if (this.diesAfter <= 0) throw new Death();
    this.diesAfter--;
    const kind = this.fault(command);
    return kind === undefined ? undefined : { kind, code: kind, message: `the test says ${kind}` };
  }

  #kindOf(name: string): ResourceKind {
    const kind = this.#api.kinds().find((one) => one.kind === name);
    if (kind === undefined) throw new Error(`the API server knows no kind ${name}`);
    return kind;
  }

  #putState(data: Readonly<Record<string, string>>): void {
    const metadata = { name: stateName, namespace: stateNamespace };
    this.put({ apiVersion: "v1", kind: "ConfigMap", metadata, ...{ data } });
  }
}

class Death extends Error {}

export function failed(kind: FaultKind): Outcome {
  return { kind: "failed", fault: { kind, code: kind, message: `the test says ${kind}` } };
}
