import { expect, test } from "vitest";
import type { Node } from "#api/core-v1/node.ts";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Step } from "#core/outcome.ts";
import { type InstanceRecord, stateOf } from "#simulator/ec2/instances.ts";
import { deployment, nodePool } from "./manifests.ts";
import { eventually } from "./real-cluster.ts";
import type { World } from "./world.ts";

/** On a machine that does nothing else each wait is over within seconds; a busy one is no failure. */
const waitMsMax = 180_000;
/** Several ticks fit in. */
const quietMs = 4_000;
const poolKey = "karpenter.sh/nodepool";

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** A NodePool, what runs on it, and what became of both: others live in the same world at the same time. */
export class Scenario {
  /** Of the NodePool, and of the Deployment that is made without another name. */
  readonly name: string;
  readonly world: World;
  readonly #made: Named[] = [];

  constructor(world: World, name: string) {
    this.world = world;
    this.name = name;
  }

  pool(change: Parameters<typeof nodePool>[1] = {}): object {
    return nodePool(this.name, change);
  }

  deployment(replicas: number, spec: object = {}, annotations: Readonly<Record<string, string>> = {}): object {
    return deployment(this.name, this.name, replicas, spec, annotations);
  }

  budget(spec: object): object {
    return {
      ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget" },
      metadata: { name: this.name, namespace: "default" },
      spec: { ...spec, selector: { matchLabels: { app: this.name } } },
    };
  }

  async apply(...objects: readonly object[]): Promise<void> {
    this.#made.push(...(objects as readonly Named[]));
    await this.world.apply(...objects);
  }

  scale(replicas: number): Promise<unknown> {
    return this.world.admin.patch("Deployment", this.name, "default", { spec: { replicas } }, "scale");
  }

  async pods(app = this.name): Promise<readonly Pod[]> {
    return (await this.world.pods()).filter(({ metadata }) => metadata.labels?.app === app);
  }

  async claims(): Promise<readonly NodeClaim[]> {
    return (await this.world.claims()).filter(({ metadata }) => metadata.labels?.[poolKey] === this.name);
  }

  async nodes(): Promise<readonly Node[]> {
    return (await this.world.nodes()).filter(({ metadata }) => metadata.labels?.[poolKey] === this.name);
  }

  /** All that were ever launched. */
  instances(): readonly InstanceRecord[] {
    return this.world.ec2.instances().filter(({ tags }) => tags[poolKey] === this.name);
  }

  livingInstances(): number {
    return this.instances().filter((record) => !["shutting-down", "terminated"].includes(stateOf(record))).length;
  }

  /** What the functions did to this scenario's claims and nodes, and to all pods. */
  steps(): readonly Step[] {
    return this.world.runs.reports.flatMap((report) => report.steps);
  }

  /** Of this scenario's pods. */
  refusedEvictions(): number {
    return this.steps().filter(
      ({ command, outcome }) =>
        command.kind === "evict-pod" &&
        command.target.name.startsWith(`${this.name}-`) &&
        outcome.kind === "failed" &&
        outcome.fault.kind === "eviction-refused",
    ).length;
  }

  async running(app = this.name): Promise<number> {
    const pods = await this.pods(app);
    return pods.filter(
      ({ status, metadata }) => status?.phase === "Running" && metadata.deletionTimestamp === undefined,
    ).length;
  }

  async eventuallyRunning(count: number, app = this.name): Promise<void> {
    await eventually(`${count} pods of ${app} run`, async () => (await this.running(app)) === count, waitMsMax);
  }

  /** The claim is gone, and its instance with it. */
  async eventuallyGone(claim: NodeClaim | undefined): Promise<void> {
    const uid = claim?.metadata.uid;
    const isLeft = async (): Promise<boolean> => (await this.claims()).some(({ metadata }) => metadata.uid === uid);
    await eventually(`claim ${claim?.metadata.name} is gone`, async () => !(await isLeft()), waitMsMax);
  }

  async eventuallyEmpty(): Promise<void> {
    const left = async (): Promise<number> =>
      (await this.claims()).length + (await this.nodes()).length + this.livingInstances();
    await eventually("no claim, no node, no instance is left", async () => (await left()) === 0, waitMsMax);
  }

  /** For some ticks: the plan was right, and nothing was forgotten that it would have to mend. */
  async nothingMoreIsLaunched(): Promise<void> {
    const launched = this.instances().length;
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    expect(this.instances().length, "instances after the plan was carried out").toBe(launched);
  }

  /** The zone of each of the app's pods that is bound. */
  async zonesOf(app = this.name): Promise<readonly string[]> {
    const nodes = new Map((await this.nodes()).map(({ metadata }) => [metadata.name, metadata.labels]));
    const bound = (await this.pods(app)).flatMap(({ spec }) => spec.nodeName ?? []);
    return bound.map((name) => nodes.get(name)?.["topology.kubernetes.io/zone"] ?? "");
  }

  /** What it made goes, in the background; its claims go with their pool. */
  async clear(): Promise<void> {
    for (const { kind, metadata } of this.#made) {
      await this.world.admin.delete(kind, metadata.name, metadata.namespace);
    }
    for (const { metadata } of await this.claims()) await this.world.admin.delete("NodeClaim", metadata.name);
  }
}

/** A test with a scenario of this name. */
export function scenario(
  world: () => World,
  name: string,
  title: string,
  body: (scenario: Scenario) => Promise<void>,
): void {
  test(title, async () => {
    const made = new Scenario(world(), name);
    try {
      await body(made);
    } finally {
      await made.clear();
    }
  });
}
