/**
 * A cluster and a cloud of a few lines, for tests of how stages follow each other: preconditions, finalizers, status,
 * state. It boots nothing by itself; the test says what happens between ticks.
 */
import type { KubeObject } from "#api/core-v1/meta.ts";
import { formatTime } from "#api/time.ts";
import { act } from "#controllers/act.ts";
import { fold } from "#controllers/fold.ts";
import type { Command } from "#core/command.ts";
import type { FaultKind } from "#core/fault.ts";
import type { Instance } from "#core/instance.ts";
import { type ObjectRef, objectName } from "#core/object-ref.ts";
import type { Outcome, Step } from "#core/outcome.ts";
import type { ClusterView, Snapshot } from "#core/snapshot.ts";
import type { Stage } from "#core/stage.ts";
import { instanceOf, snapshotOf } from "./lifecycle-samples.ts";

type ListName = "pods" | "nodes" | "nodeClaims" | "nodePools";
const lists: Readonly<Record<string, ListName>> = {
  Pod: "pods",
  Node: "nodes",
  NodeClaim: "nodeClaims",
  NodePool: "nodePools",
};

type Writable<T> = { -readonly [K in keyof T]: T[K] };
interface WritableObject {
  apiVersion: string;
  kind: string;
  metadata: Writable<KubeObject["metadata"]>;
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

export class SmallWorld {
  atMs: number;
  incomplete: readonly string[] = [];
  instances: Instance[] = [];
  readonly objects = new Map<string, WritableObject>();
  readonly state: Record<string, string> = {};
  readonly rest: Partial<ClusterView>;
  /** What a command meets instead of being carried out. */
  fault: (command: Command) => FaultKind | undefined = () => undefined;
  /** The process dies before this stage. */
  diesBefore: string | undefined;
  steps: readonly Step[] = [];
  #version = 100;

  constructor(atMs: number, cluster: Partial<ClusterView>) {
    this.atMs = atMs;
    this.rest = cluster;
    for (const list of Object.values(lists)) for (const object of cluster[list] ?? []) this.put(object);
    Object.assign(this.state, cluster.state);
  }

  put(object: KubeObject): void {
    const copy = structuredClone(object) as WritableObject;
    copy.metadata.resourceVersion = String(++this.#version);
    this.objects.set(`${copy.kind} ${objectName(copy.metadata)}`, copy);
  }

  remove(kind: string, name: string): void {
    this.objects.delete(`${kind} ${name}`);
  }

  get<T extends KubeObject>(kind: string, name: string): T | undefined {
    const object = this.objects.get(`${kind} ${name}`);
    return object === undefined ? undefined : (structuredClone(object) as unknown as T);
  }

  snapshot(): Snapshot {
    const cluster: Record<string, unknown> = { ...this.rest, state: { ...this.state } };
    for (const [kind, list] of Object.entries(lists)) {
      cluster[list] = [...this.objects.values()]
        .filter((object) => object.kind === kind)
        .map((o) => structuredClone(o));
    }
    const { atMs, incomplete } = this;
    return snapshotOf(cluster, { instances: [...this.instances], incomplete, atMs });
  }

  /** One tick with these stages; answers the snapshot after it. */
  async tick(stages: readonly Stage[]): Promise<Snapshot> {
    let snapshot = this.snapshot();
    const doers = {
      cluster: { apply: (command: Command) => Promise.resolve(this.apply(command)) },
      cloud: { apply: (command: Command) => Promise.resolve(this.apply(command)) },
    };
    for (const stage of stages) {
      if (stage.name === this.diesBefore) break;
      snapshot = fold(snapshot, await act(stage.name, stage.decide(snapshot).commands, doers));
    }
    this.steps = snapshot.steps;
    return snapshot;
  }

  apply(command: Command): Outcome {
    const fault = this.fault(command);
    if (fault !== undefined) return failed(fault);
    switch (command.kind) {
      case "launch-instance": {
        const instance = instanceOf(command.nodeClaim, { launchedAtMs: this.atMs, state: "pending" });
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
      case "patch-state":
        if (command.value === null) delete this.state[command.key];
        else this.state[command.key] = command.value;
        return { kind: "done" };
      case "patch-metadata":
      case "taint-node":
      case "patch-status":
      case "delete-object":
      case "evict-pod":
        return this.#write(command.target, command);
      default:
        return { kind: "done" };
    }
  }

  #write(target: ObjectRef, command: Command): Outcome {
    const object = this.objects.get(`${target.kind} ${objectName(target)}`);
    if (object === undefined || (target.uid !== undefined && target.uid !== object.metadata.uid))
      return failed("not-found");
    if (target.resourceVersion !== undefined && target.resourceVersion !== object.metadata.resourceVersion) {
      return failed("conflict");
    }
    object.metadata.resourceVersion = String(++this.#version);
    this.#change(object, command);
    const isGone = object.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0;
    if (!isGone || object.kind === "Pod") return { kind: "done", object: structuredClone(object) as KubeObject };
    this.remove(object.kind, objectName(object.metadata));
    return { kind: "done" };
  }

  #change(object: WritableObject, command: Command): void {
    switch (command.kind) {
      case "patch-metadata":
        object.metadata.labels = merged(object.metadata.labels, command.labels);
        object.metadata.annotations = merged(object.metadata.annotations, command.annotations);
        if (command.finalizers !== undefined) object.metadata.finalizers = command.finalizers;
        if (command.ownerReferences !== undefined) object.metadata.ownerReferences = command.ownerReferences;
        return;
      case "taint-node":
        object.metadata.labels = merged(object.metadata.labels, command.labels);
        object.spec = { ...object.spec, taints: command.taints };
        return;
      case "patch-status":
        object.status = { ...object.status, ...command.status };
        return;
      default:
        object.metadata.deletionTimestamp ??= formatTime(this.atMs);
    }
  }
}

function merged(
  before: Readonly<Record<string, string>> | undefined,
  change: Readonly<Record<string, string | null>> | undefined,
): Record<string, string> {
  const all = { ...before, ...change };
  return Object.fromEntries(
    Object.entries(all).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function failed(kind: FaultKind): Outcome {
  return { kind: "failed", fault: { kind, code: kind, message: `the test says ${kind}` } };
}
