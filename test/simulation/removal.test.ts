/** What becomes of nodes when Outrigger goes, in the whole simulated cluster and account, the loop running all the while. */
import { describe, expect, test } from "vitest";
import { ec2TerminationFinalizer } from "#api/ec2-v1/ec2nodeclass.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { runInvocation } from "#controllers/invocation.ts";
import { lookAtRemoval, type OnDelete, onDeleteOf, pursueRemoval, takeRemovalBack } from "#controllers/removal.ts";
import { defaultSettings } from "#core/settings.ts";
import { ec2Provider } from "#ec2/provider.ts";
import { createSimulation } from "#simulator/simulation.ts";
import { Invocations } from "../../cli/simulate/invocations.ts";

const startMs = Date.UTC(2026, 10, 3, 9);
const minuteMs = 60_000;
const settings = { ...defaultSettings, clusterName: "demo", clusterIdentity: "demo-1" };
const provider = { nodeClass: ec2Provider.nodeClass, classFinalizer: ec2TerminationFinalizer };
const discovered = [{ tags: { "karpenter.sh/discovery": "demo" } }];
const nodeClassRef = { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" };

const objects = [
  {
    ...{ apiVersion: "karpenter.k8s.aws/v1", kind: "EC2NodeClass", metadata: { name: "default" } },
    spec: {
      role: "node",
      amiSelectorTerms: [{ alias: "al2023@latest" }],
      subnetSelectorTerms: discovered,
      securityGroupSelectorTerms: discovered,
    },
  },
  {
    ...{ apiVersion: "karpenter.sh/v1", kind: "NodePool", metadata: { name: "default" } },
    spec: { template: { spec: { requirements: [], nodeClassRef } }, disruption: { consolidateAfter: "Never" } },
  },
  {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "3" } } }] },
      },
    },
  },
  {
    ...{ apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: { name: "none" } },
    spec: { selector: { matchLabels: { app: "web" } }, maxUnavailable: 0 },
  },
];

/** A cluster with running pods on nodes of ours, and a PodDisruptionBudget that lets none of them go. */
class RemovedWorld {
  readonly simulation = createSimulation({ seed: 3, startMs, clusterName: "demo" });
  cleanedUp = 0;

  /** `loop`: for how long the loop runs, minutes. */
  constructor(loopMinutes: number) {
    const { clock, cluster, cloud } = this.simulation;
    const telemetry = { tick: () => {} };
    const invocations = new Invocations(
      clock,
      () => {
        const session = cluster.connect();
        return { ports: { cluster: session, cloud, clock, telemetry }, close: session.close };
      },
      { provider: ec2Provider, settings, seed: 3 },
    );
    expect(cluster.load(objects)).toEqual([]);
    invocations.schedule(startMs, startMs + loopMinutes * minuteMs);
  }

  static async running(loopMinutes = 120): Promise<RemovedWorld> {
    const world = new RemovedWorld(loopMinutes);
    await world.minutes(8);
    expect(world.claims.length).toBeGreaterThan(0);
    expect(world.pods.every(({ status }) => status?.phase === "Running")).toBe(true);
    return world;
  }

  get claims() {
    return this.simulation.api.store.list("NodeClaim");
  }

  get pods() {
    return this.simulation.api.store.list("Pod");
  }

  get ports() {
    return { cluster: this.simulation.cluster, clock: this.simulation.clock };
  }

  minutes(count: number): Promise<void> {
    const { clock } = this.simulation;
    return clock.runUntil(clock.nowMs() + count * minuteMs);
  }

  /** As the function is asked each quarter of a minute, until it is over. */
  async remove(manner: "drain" | "force", limitMinutes = 30): Promise<number> {
    const { clock } = this.simulation;
    const beganMs = clock.nowMs();
    const untilMs = beganMs + limitMinutes * minuteMs;
    const end = { untilMs, end: () => this.#end(), cleanUp: async () => void this.cleanedUp++ };
    for (;;) {
      if ((await lookAtRemoval(this.ports, provider, manner, end)).kind === "over") return clock.nowMs() - beganMs;
      await this.minutes(0.25);
    }
  }

  /** What the function does by itself when nodes go by force. */
  async #end(): Promise<void> {
    const { clock, cluster, cloud } = this.simulation;
    const session = cluster.connect();
    const ports = { cluster: session, cloud, clock, telemetry: { tick: () => {} } };
    const configuration = { provider: ec2Provider, settings, seed: 4, only: "ending" } as const;
    let isOver = false;
    const running = runInvocation(ports, configuration).finally(() => {
      isOver = true;
      session.close();
    });
    // What it waits for takes the world's time.
    while (!isOver) await clock.runUntil(clock.nowMs() + 1_000);
    await running;
  }

  release(): void {
    this.simulation.api.delete("PodDisruptionBudget", "none", "default");
  }

  async left() {
    const { cluster, cloud } = this.simulation;
    const { nodeClaims, nodes, nodeClasses } = await cluster.observe("everything");
    return {
      claims: nodeClaims.length,
      instances: cloud.instances().filter(({ history }) => history.at(-1)?.state !== "terminated").length,
      finalizers: [...nodes, ...nodeClasses].flatMap(({ metadata }) => metadata.finalizers ?? []),
    };
  }
}

const nothingLeft = { claims: 0, instances: 0, finalizers: [] };

describe("what the end of the stack's resource means", () => {
  test.each<[OnDelete, boolean, OnDelete]>([
    // A destroy.
    ["keep", true, "keep"],
    ["drain", true, "drain"],
    ["force", true, "force"],
    // A rollback after it was made, a new name, a template without it.
    ["keep", false, "keep"],
    ["drain", false, "keep"],
    ["force", false, "keep"],
  ])("onDelete %s, whole stack deleted: %s → %s", async (wanted, whole, manner) => {
    expect(await onDeleteOf(wanted, async () => whole)).toBe(manner);
  });

  test("nobody is asked about the stack where the nodes stay anyway; elsewhere no answer is no permission", async () => {
    const refused = async (): Promise<boolean> => {
      throw new Error("AccessDenied");
    };
    expect(await onDeleteOf("keep", refused)).toBe("keep");
    await expect(onDeleteOf("drain", refused)).rejects.toThrow("AccessDenied");
  });
});

describe("a removal and the loop", () => {
  test("by force waits for no budget", async () => {
    const world = await RemovedWorld.running();
    expect(await world.remove("force")).toBeLessThan(6 * minuteMs);
    expect(await world.left()).toEqual(nothingLeft);
  });

  test("by force needs no loop: a finalizer goes when EC2 says that its instance is terminated, and not before", async () => {
    const world = await RemovedWorld.running(8);
    const { api, cloud } = world.simulation;
    const lastStates: string[] = [];
    api.watch("NodeClaim", {}, ({ type, object }) => {
      if (type !== "DELETED") return;
      const { providerID = "" } = (object as NodeClaim).status ?? {};
      const instance = cloud.instances().find(({ id }) => providerID.endsWith(id));
      lastStates.push(instance?.history.at(-1)?.state ?? "unknown");
    });
    const count = world.claims.length;
    expect(await world.remove("force")).toBeLessThan(6 * minuteMs);
    expect(lastStates).toEqual(Array(count).fill("terminated"));
    expect(await world.left()).toEqual(nothingLeft);
    expect(world.cleanedUp).toBe(1);
  });

  test("to be drained waits for the loop, and says in the end what is left", async () => {
    const world = await RemovedWorld.running(8);
    world.release();
    await expect(world.remove("drain", 10)).rejects.toThrow(/^The nodes did not go in time: [1-3] NodeClaims/);
  });
});

describe("a removal", () => {
  test("drains as always: blocked by a budget it ends in words that name the pod; freed, nothing is left", async () => {
    const world = await RemovedWorld.running();
    const pools = world.simulation.api.store.list("NodePool").map(({ spec }) => spec);
    await expect(world.remove("drain", 10)).rejects.toThrow(
      /^The nodes did not go in time: [1-3] NodeClaims, .*pod default\/web-\S+ on \S+: PodDisruptionBudget none allows no eviction/,
    );
    expect(world.pods.filter(({ status }) => status?.phase === "Running")).toHaveLength(3);
    expect(world.cleanedUp).toBe(0);
    world.release();
    // The stack is deleted once more.
    expect(await world.remove("drain")).toBeLessThan(10 * minuteMs);
    expect(await world.left()).toEqual(nothingLeft);
    expect(world.cleanedUp).toBe(1);
    expect(world.simulation.api.store.list("NodePool").map(({ spec }) => spec)).toEqual(pools);
  });

  test("makes no node for the pods that it puts out, and a deployment after it does", async () => {
    const world = await RemovedWorld.running();
    await world.remove("force");
    await world.minutes(10);
    expect(await world.left()).toEqual(nothingLeft);
    expect(world.pods.map(({ status }) => status?.phase)).toEqual(["Pending", "Pending", "Pending"]);
    await takeRemovalBack(world.ports);
    await world.minutes(10);
    expect(world.pods.map(({ status }) => status?.phase)).toEqual(["Running", "Running", "Running"]);
  });

  test("deletes a claim that a tick made while it began", async () => {
    const world = await RemovedWorld.running();
    await pursueRemoval(world.ports, provider, "force");
    const [claim] = world.claims;
    const late = { ...claim, metadata: { name: "late", labels: claim?.metadata.labels ?? {} }, status: {} };
    expect(world.simulation.api.create(late)).toMatchObject({ kind: "ok" });
    await world.remove("force");
    expect(await world.left()).toEqual(nothingLeft);
  });

  test("leaves the claims of other providers alone", async () => {
    const world = await RemovedWorld.running();
    const foreign = {
      ...{ apiVersion: "karpenter.sh/v1", kind: "NodeClaim", metadata: { name: "auto" } },
      spec: { requirements: [], nodeClassRef: { group: "eks.amazonaws.com", kind: "NodeClass", name: "default" } },
    };
    expect(world.simulation.api.create(foreign)).toMatchObject({ kind: "ok" });
    await world.remove("force");
    expect(world.claims.map(({ metadata }) => metadata.name)).toEqual(["auto"]);
    expect(world.claims[0]?.metadata.deletionTimestamp).toBeUndefined();
  });

  test("a cluster that cannot be read costs a look, not the removal", async () => {
    const world = await RemovedWorld.running();
    const { clock } = world.simulation;
    const cluster = {
      ...world.ports.cluster,
      observe: async (): Promise<never> => {
        throw new Error("no answer");
      },
    };
    const end = { untilMs: clock.nowMs() + minuteMs, cleanUp: async () => {} };
    expect(await lookAtRemoval({ cluster, clock }, provider, "drain", end)).toEqual({
      kind: "going-on",
      message: "no answer",
    });
    await world.minutes(1);
    await expect(lookAtRemoval({ cluster, clock }, provider, "drain", end)).rejects.toThrow("no answer");
  });
});
