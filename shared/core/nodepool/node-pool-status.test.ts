import { describe, expect, test } from "vitest";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import {
  ago,
  claimOf,
  condition,
  nodeOf,
  nowMs,
  poolOf,
  provider,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import { allowedDisruptions } from "../disruption/budget.ts";
import type { ClusterView, NodeClass } from "../snapshot.ts";
import { rememberOutcomes } from "../state/registration-outcomes.ts";
import { stateAfter } from "../state/state-patch.ts";
import { nodePoolHash, nodePoolHashVersion } from "./hash.ts";
import { nodePoolStatus } from "./node-pool-status.ts";

const stage = nodePoolStatus(provider);

function classOf(
  change: { ready?: "True" | "False" | "Unknown"; deletionTimestamp?: string; generation?: number } = {},
): NodeClass {
  const { ready, deletionTimestamp, generation = 1 } = change;
  return {
    apiVersion: "sample.dev/v1",
    kind: "SampleClass",
    metadata: { name: "default", generation, ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
    spec: {},
    ...(ready === undefined
      ? {}
      : {
          status: { conditions: [{ ...condition("Ready", ready), reason: "SubnetsNotFound", message: "no subnet" }] },
        }),
  };
}

async function poolAfter(cluster: Partial<ClusterView>, world = new SmallWorld(nowMs, cluster)): Promise<NodePool> {
  await world.tick([stage]);
  const pool = world.get<NodePool>("NodePool", "pool");
  if (pool === undefined) throw new Error("the pool is gone");
  return pool;
}

function conditionsOf(pool: NodePool): Record<string, string> {
  return Object.fromEntries(
    (pool.status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]),
  );
}

const ready = { nodePools: [poolOf()], nodeClasses: [classOf({ ready: "True" })] };

describe("readiness", () => {
  test("a valid pool with a ready class is Ready, and a second look writes nothing", async () => {
    const world = new SmallWorld(nowMs, ready);
    expect(conditionsOf(await poolAfter(ready, world))).toEqual({
      ValidationSucceeded: "True ValidationSucceeded",
      NodeClassReady: "True NodeClassReady",
      NodeRegistrationHealthy: "Unknown AwaitingReconciliation",
      Ready: "True Ready",
    });
    await world.tick([stage]);
    expect(world.steps).toEqual([]);
  });

  test.each([
    ["False NodeClassNotFound", []],
    ["False NodeClassTerminating", [classOf({ ready: "True", deletionTimestamp: ago(0) })]],
    ["False NodeClassReadinessUnknown", [classOf()]],
    ["False NodeClassReadinessUnknown", [classOf({ ready: "Unknown" })]],
    ["False SubnetsNotFound", [classOf({ ready: "False" })]],
  ])("%s", async (expected, nodeClasses) => {
    const conditions = conditionsOf(await poolAfter({ nodePools: [poolOf()], nodeClasses }));
    expect(conditions).toMatchObject({ NodeClassReady: expected, Ready: "False UnhealthyDependents" });
  });

  test("what the CRD cannot refuse is a failed validation that names it", async () => {
    const pool = poolOf();
    const taints = [
      { key: "a", effect: "NoSchedule" },
      { key: "a", effect: "NoSchedule" },
    ] as const;
    const template = { ...pool.spec.template, spec: { ...pool.spec.template.spec, taints } };
    const invalid = { ...pool, spec: { ...pool.spec, template } };
    expect(conditionsOf(await poolAfter({ ...ready, nodePools: [invalid] }))).toMatchObject({
      ValidationSucceeded: "False NodePoolValidationFailed",
      Ready: "False UnhealthyDependents",
    });
  });

  test("pools of another provider's class are never written", async () => {
    const pool = poolOf();
    const nodeClassRef = { group: "eks.amazonaws.com", kind: "NodeClass", name: "x" };
    const foreign = {
      ...pool,
      spec: { ...pool.spec, template: { spec: { ...pool.spec.template.spec, nodeClassRef } } },
    };
    const world = new SmallWorld(nowMs, { nodePools: [foreign] });
    await world.tick([stage]);
    expect(world.steps).toEqual([]);
  });
});

describe("counts", () => {
  test("a pool without nodes has zeros", async () => {
    expect((await poolAfter(ready)).status).toMatchObject({
      nodes: 0,
      resources: { cpu: "0", memory: "0", pods: "0", "ephemeral-storage": "0", nodes: "0" },
    });
  });

  test("nodes and launched claims count; deleted ones and those not launched do not; what is gone is removed", async () => {
    const gpu = statusOf("b", "launched");
    const cluster = {
      ...ready,
      nodeClaims: [
        claimOf("a", { status: statusOf("a", "initialized") }),
        claimOf("b", { status: { ...gpu, capacity: { ...gpu.capacity, "nvidia.com/gpu": "1" } } }),
        claimOf("c", { status: statusOf("c", "initialized"), deletionTimestamp: ago(0) }),
        claimOf("d"),
      ],
      nodes: [nodeOf("a"), nodeOf("c")],
    };
    const world = new SmallWorld(nowMs, cluster);
    expect((await poolAfter(cluster, world)).status).toMatchObject({
      nodes: 2,
      resources: { cpu: "4", memory: "8Gi", pods: "20", nodes: "2", "nvidia.com/gpu": "1" },
    });
    world.remove("NodeClaim", "b");
    await world.tick([stage]);
    const patch = world.steps[0]?.command;
    expect(patch).toMatchObject({
      kind: "patch-status",
      status: { nodes: 1, resources: { cpu: "2", "nvidia.com/gpu": null } },
    });
  });
});

describe("hash annotations", () => {
  test("the pool carries its hash; claims of an older version take it, drifted ones keep theirs", async () => {
    const old = { "karpenter.sh/nodepool-hash": "1", "karpenter.sh/nodepool-hash-version": "v2" };
    const drifted = { conditions: [condition("Drifted", "True")] };
    const cluster = {
      ...ready,
      nodeClaims: [claimOf("a", { annotations: old }), claimOf("b", { annotations: old, status: drifted })],
    };
    const world = new SmallWorld(nowMs, cluster);
    const hash = nodePoolHash(poolOf());
    expect((await poolAfter(cluster, world)).metadata.annotations).toMatchObject({
      "karpenter.sh/nodepool-hash": hash,
    });
    const annotationsOf = (name: string) => world.get("NodeClaim", name)?.metadata.annotations;
    expect(annotationsOf("a")).toEqual({
      "karpenter.sh/nodepool-hash": hash,
      "karpenter.sh/nodepool-hash-version": nodePoolHashVersion,
    });
    expect(annotationsOf("b")).toEqual({
      "karpenter.sh/nodepool-hash": "1",
      "karpenter.sh/nodepool-hash-version": nodePoolHashVersion,
    });
  });
});

describe("registration health", () => {
  const outcomes = {
    S: { kind: "registered" },
    F: { kind: "failed", reason: "RegistrationFailed", message: "no node" },
  } as const;
  const stateOf = (letters: string) => {
    let state: Readonly<Record<string, string>> = {};
    for (const letter of letters) {
      const outcome = letter === "S" ? outcomes.S : outcomes.F;
      state = stateAfter(state, rememberOutcomes(state, [{ nodePool: poolOf(), outcomes: [outcome] }]));
    }
    return state;
  };

  test.each([
    ["", "Unknown AwaitingReconciliation"],
    ["S", "True NodeRegistrationHealthy"],
    ["F", "Unknown AwaitingReconciliation"],
    ["SF", "True NodeRegistrationHealthy"],
    ["SFF", "False RegistrationFailed"],
    ["FFSS", "False RegistrationFailed"],
    ["FFSSS", "True NodeRegistrationHealthy"],
  ])("after %s it is %s", async (letters, expected) => {
    const pool = await poolAfter({ ...ready, state: stateOf(letters) });
    expect(conditionsOf(pool).NodeRegistrationHealthy).toBe(expected);
    expect(conditionsOf(pool).Ready).toBe("True Ready");
  });

  test("a changed pool or node class begins anew", async () => {
    for (const change of ["pool", "class"]) {
      const world = new SmallWorld(nowMs, { ...ready, state: stateOf("FF") });
      const pool = await poolAfter({}, world);
      expect(conditionsOf(pool).NodeRegistrationHealthy).toBe("False RegistrationFailed");
      if (change === "pool") world.put({ ...pool, metadata: { ...pool.metadata, generation: 2 } });
      else world.put(classOf({ ready: "True", generation: 2 }));
      expect(conditionsOf(await poolAfter({}, world)).NodeRegistrationHealthy).toBe("Unknown AwaitingReconciliation");
      expect(world.state).toEqual({});
    }
  });
});

describe("row 34: a budget that cannot be read", () => {
  const weekend = { nodes: "0", schedule: "0 0 * * sat-sun", duration: "24h" };
  const frozen = poolOf("pool", { disruption: { budgets: [{ nodes: "10%" }, weekend] } });
  const words =
    'spec.disruption.budgets[1] cannot be read: schedule "0 0 * * sat-sun": day of week "sat-sun": beginning of range 6 beyond end 0; write sat,sun';

  test("is a condition that names its index and what to write instead; the pool stays ready", async () => {
    const pool = await poolAfter({ ...ready, nodePools: [frozen] });
    expect(conditionsOf(pool)).toMatchObject({
      Ready: "True Ready",
      DisruptionBudgetsReadable: "False BudgetUnreadable",
    });
    expect(pool.status?.conditions?.find(({ type }) => type === "DisruptionBudgetsReadable")?.message).toBe(words);
  });

  test("is an event, once", async () => {
    const world = new SmallWorld(nowMs, { ...ready, nodePools: [frozen] });
    const { reasons } = stage.decide(await world.snapshot());
    expect(reasons).toEqual([
      {
        about: { kind: "NodePool", name: "pool", uid: "uid-pool-pool" },
        code: "pool-budget",
        message: `No node of this pool is disrupted, for any reason: ${words}`,
        event: { type: "Warning", reason: "DisruptionBlocked", once: true },
      },
    ]);
  });

  test("allows nothing for any reason, and the condition goes with its cause", async () => {
    for (const reason of ["Empty", "Drifted", "Underutilized"] as const) {
      expect(allowedDisruptions(frozen, reason, 100, nowMs)).toEqual({ allowed: 0, problem: words });
    }
    const world = new SmallWorld(nowMs, { ...ready, nodePools: [frozen] });
    const before = await poolAfter({}, world);
    const mended: NodePool = { ...before, spec: poolOf().spec };
    world.put(mended);
    expect(Object.keys(conditionsOf(await poolAfter({}, world)))).not.toContain("DisruptionBudgetsReadable");
  });
});

test("a pool that rests says until when, and only then", async () => {
  const world = new SmallWorld(nowMs, ready);
  const offHours = [{ schedule: "0 11 * * *", duration: "2h" }];
  const resting: typeof stage = {
    ...stage,
    decide: (snapshot) => stage.decide({ ...snapshot, settings: { ...snapshot.settings, offHours } }),
  };
  await world.tick([resting]);
  const pool = world.get<NodePool>("NodePool", "pool");
  expect(pool?.status?.conditions?.find(({ type }) => type === "OffHours")).toMatchObject({
    ...{ status: "True", reason: "Resting" },
    message: "Its nodes go and no new ones are made until 2026-11-30 13:00 UTC",
  });
  expect(pool?.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
  world.atMs += 60 * 60_000;
  await world.tick([resting]);
  expect(conditionsOf(world.get<NodePool>("NodePool", "pool") as NodePool)).not.toHaveProperty("OffHours");
});
