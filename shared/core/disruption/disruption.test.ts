import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import {
  drifted,
  driftingProvider,
  labels,
  podAsking,
  readyPool,
  timePasses,
  upClaim,
  worldOf,
} from "../../../test/support/disruption-world.ts";
import {
  condition,
  minuteMs,
  nodeOf,
  nowMs,
  podOf,
  provider as sampleProvider,
} from "../../../test/support/lifecycle-samples.ts";
import { stagesNamed } from "../../../test/support/sample-stages.ts";
import type { SmallWorld } from "../../../test/support/small-world.ts";
import type { CloudProvider } from "../cloud-provider.ts";
import type { Command } from "../command.ts";
import type { Decision } from "../decision.ts";
import type { InstanceType } from "../instance-type.ts";
import type { Reason } from "../reason.ts";

/** Twice the cores of the next, twice the price. */
function typeOf(name: string, cpu: number): InstanceType {
  const resources = { cpu: cpu * 1_000, memory: cpu * 2 ** 31, pods: 50 };
  return {
    name,
    requirements: [{ key: "node.kubernetes.io/instance-type", operator: "In", values: [name] }],
    offerings: [{ zone: "zone-a", capacityType: "on-demand", pricePerHour: cpu / 20, available: true }],
    capacity: resources,
    allocatable: resources,
  };
}

const types = [typeOf("two", 2), typeOf("four", 4), typeOf("eight", 8)];
const provider: CloudProvider<undefined, unknown> = {
  ...sampleProvider,
  ...driftingProvider(({ metadata }) =>
    metadata.name.startsWith("old") ? { reason: "SampleDrift", message: "old" } : undefined,
  ),
  instanceTypes: () => ({ kind: "known", instanceTypes: types }),
  instanceTypesOfClaim: () => ({ kind: "known", instanceTypes: types }),
};
const stages = stagesNamed(["lifecycle", "replacement", "disruption", "orchestration"], provider);
const [deciding] = stages.filter(({ name }) => name === "disruption");

interface Sketch {
  readonly type: string;
  readonly pods: readonly string[];
  readonly isDrifted?: boolean;
}

function worldWith(
  sketches: Readonly<Record<string, Sketch>>,
  disruption: Partial<NodePool["spec"]["disruption"]> = {},
): SmallWorld {
  const names = Object.keys(sketches);
  const claims = names.map((name): NodeClaim => {
    const claim = upClaim(name, "pool", [
      condition("Consolidatable", "True", nowMs - minuteMs),
      ...(sketches[name]?.isDrifted ? [drifted("old")] : []),
    ]);
    const own = { ...labels, "node.kubernetes.io/instance-type": sketches[name]?.type ?? "" };
    return { ...claim, metadata: { ...claim.metadata, labels: own } };
  });
  const nodes = names.map((name) => {
    const node = nodeOf(name);
    const cpu = types.find((type) => type.name === sketches[name]?.type)?.allocatable.cpu ?? 0;
    const resources = { cpu: `${cpu}m`, memory: "64Gi", pods: "50" };
    return { ...node, status: { ...node.status, capacity: resources, allocatable: resources } };
  });
  const pods = names.flatMap((name) =>
    (sketches[name]?.pods ?? []).map((cpu, i) => podAsking(podOf(`${name}-${i}`, name), cpu)),
  );
  const pool = readyPool("pool", { consolidateAfter: "0s", budgets: [{ nodes: "100%" }], ...disruption });
  return worldOf(claims, { nodePools: [pool], nodes, pods });
}

/** What a person would read of it. */
const told = (reasons: readonly Reason[]) =>
  reasons.map(
    ({ about, message, event }) =>
      `${about.kind} ${about.name}${event === undefined ? "" : ` (${event.reason})`}: ${message}`,
  );
const written = (command: Command): string => {
  if (command.kind === "patch-state") return `state ${JSON.stringify(command.data)}`;
  if (command.kind !== "create-node-claim") return `${command.kind} ${"target" in command ? command.target.name : ""}`;
  const { metadata, spec } = command.nodeClaim;
  const type = spec.requirements.find(({ key }) => key === "node.kubernetes.io/instance-type")?.values?.join();
  return `create-node-claim ${type} for ${metadata.annotations?.["outrigger.dev/replaces"]}: ${metadata.annotations?.["outrigger.dev/disruption"]}`;
};

async function look(world: SmallWorld): Promise<Decision> {
  if (deciding === undefined) throw new Error("the stage is there");
  return deciding.decide(await world.snapshot());
}

/** Each look a tick, 15 s apart: what the stage wrote and said. */
async function looks(world: SmallWorld, count: number, between: () => void = () => {}) {
  const all = [];
  for (let i = 0; i < count; i++) {
    const decision = await look(world);
    all.push({
      commands: decision.commands.map(written),
      reasons: told(decision.reasons.filter(({ about }) => about.kind !== "Node")),
    });
    await world.tick(stages);
    await timePasses(world, 15_000);
    between();
  }
  return all;
}

describe("each method, as it is decided and said", () => {
  test("emptiness", async () => {
    expect(
      await looks(worldWith({ a: { type: "two", pods: [] }, b: { type: "four", pods: [] } }), 2),
    ).toMatchInlineSnapshot(`
      [
        {
          "commands": [
            "state {"proposal.emptiness":"1796040000000 delete uid-b,uid-a"}",
          ],
          "reasons": [
            "NodeClaim a: Empty: it goes in 15 s if that still holds",
            "NodeClaim b: Empty: it goes in 15 s if that still holds",
          ],
        },
        {
          "commands": [
            "state {"proposal.emptiness":null}",
            "taint-node node-b",
            "patch-status b",
            "taint-node node-a",
            "patch-status a",
          ],
          "reasons": [
            "NodeClaim b: Empty: 2 nodes go together; 0 pods move; $0.3000 an hour before, $0.0000 after; budget of NodePool pool: 2 of 2 that may go",
            "NodeClaim a: Empty: 2 nodes go together; 0 pods move; $0.3000 an hour before, $0.0000 after; budget of NodePool pool: 2 of 2 that may go",
          ],
        },
      ]
    `);
  });

  test("drift", async () => {
    const world = worldWith({ old: { type: "two", pods: ["1500m"], isDrifted: true } });
    expect(await looks(world, 1)).toMatchInlineSnapshot(`
      [
        {
          "commands": [
            "create-node-claim two,four,eight for old: Drifted 1 1.a3lnwiy1",
          ],
          "reasons": [
            "NodeClaim old: Drifted: this node goes when a replacement is ready, at the cheapest two on-demand; 1 pod moves; $0.1000 an hour before, $0.1000 after; budget of NodePool pool: 1 of 1 that may go",
            "NodeClaim pool-g6075eq7 (DisruptionLaunching): to replace old, for 1 pod: 3 of 3 instance types meet the requirements and have room; the cheapest is two on-demand in zone-a at $0.1000 an hour, the next is four on-demand in zone-a at $0.2000 an hour",
          ],
        },
      ]
    `);
  });

  test("multi: two nodes go together, one smaller comes", async () => {
    const world = worldWith({ a: { type: "eight", pods: ["1500m"] }, b: { type: "eight", pods: ["1500m"] } });
    expect(await looks(world, 2)).toMatchInlineSnapshot(`
      [
        {
          "commands": [
            "state {"proposal.multi":"1796040000000 replace uid-a,uid-b"}",
          ],
          "reasons": [
            "NodeClaim a: Underutilized: it goes in 15 s if that still holds",
            "NodeClaim b: Underutilized: it goes in 15 s if that still holds",
          ],
        },
        {
          "commands": [
            "state {"proposal.multi":null}",
            "create-node-claim four for a,b: Underutilized 1",
          ],
          "reasons": [
            "NodeClaim a (ConsolidationCandidate): Underutilized: 2 nodes go together when a replacement is ready, at the cheapest four on-demand; 2 pods move; $0.8000 an hour before, $0.2000 after; budget of NodePool pool: 2 of 2 that may go",
            "NodeClaim b (ConsolidationCandidate): Underutilized: 2 nodes go together when a replacement is ready, at the cheapest four on-demand; 2 pods move; $0.8000 an hour before, $0.2000 after; budget of NodePool pool: 2 of 2 that may go",
            "NodeClaim pool-p5fqssys (DisruptionLaunching): to replace a, b, for 2 pods: 1 of 3 instance types meet the requirements and have room; the cheapest is four on-demand in zone-a at $0.2000 an hour, there is no other",
          ],
        },
      ]
    `);
  });

  test("single: one goes for a cheaper one", async () => {
    const world = worldWith({ a: { type: "eight", pods: ["1500m"] } });
    expect(await looks(world, 2)).toMatchInlineSnapshot(`
      [
        {
          "commands": [
            "state {"proposal.single":"1796040000000 replace uid-a"}",
          ],
          "reasons": [
            "NodeClaim a: Underutilized: it goes in 15 s if that still holds",
          ],
        },
        {
          "commands": [
            "state {"proposal.single":null}",
            "create-node-claim two,four for a: Underutilized 1",
          ],
          "reasons": [
            "NodeClaim a (ConsolidationCandidate): Underutilized: this node goes when a replacement is ready, at the cheapest two on-demand; 1 pod moves; $0.4000 an hour before, $0.1000 after; budget of NodePool pool: 1 of 1 that may go",
            "NodeClaim pool-v8s8v6n1 (DisruptionLaunching): to replace a, for 1 pod: 2 of 3 instance types meet the requirements and have room; the cheapest is two on-demand in zone-a at $0.1000 an hour, the next is four on-demand in zone-a at $0.2000 an hour",
          ],
        },
      ]
    `);
  });
});

describe("the policy Balanced, as it is decided and said", () => {
  test("what saves little and moves much is not done", async () => {
    const sketches = {
      a: { type: "eight", pods: ["7500m"] },
      b: { type: "two", pods: ["100m", "100m", "100m", "100m"] },
    };
    expect(await looks(worldWith(sketches, { consolidationPolicy: "Balanced" }), 1)).toMatchInlineSnapshot(`
      [
        {
          "commands": [],
          "reasons": [
            "NodeClaim a (Unconsolidatable): Not consolidated: no cheaper node can take its pods: it costs $0.4000 an hour, and the cheapest that has room (eight) starts at $0.4000",
            "NodeClaim b (Unconsolidatable): Not consolidated: policy Balanced of NodePool pool: it would save 20.0 % of the pool's cost and disturb 71.4 % of its pods; it must save at least half as much as it disturbs",
          ],
        },
      ]
    `);
    const [plain] = await looks(worldWith(sketches), 1);
    expect(plain?.commands).toEqual([`state {"proposal.single":"${nowMs} delete uid-b"}`]);
  });

  test("what saves much is done as without it", async () => {
    const world = worldWith(
      { a: { type: "eight", pods: ["500m"] }, b: { type: "four", pods: ["500m"] } },
      { consolidationPolicy: "Balanced" },
    );
    expect(await looks(world, 2)).toMatchInlineSnapshot(`
      [
        {
          "commands": [
            "state {"proposal.multi":"1796040000000 replace uid-a,uid-b"}",
          ],
          "reasons": [
            "NodeClaim a: Underutilized: it goes in 15 s if that still holds",
            "NodeClaim b: Underutilized: it goes in 15 s if that still holds",
          ],
        },
        {
          "commands": [
            "state {"proposal.multi":null}",
            "create-node-claim two for a,b: Underutilized 1",
          ],
          "reasons": [
            "NodeClaim a (ConsolidationCandidate): Underutilized: 2 nodes go together when a replacement is ready, at the cheapest two on-demand; 2 pods move; $0.6000 an hour before, $0.1000 after; budget of NodePool pool: 2 of 2 that may go",
            "NodeClaim b (ConsolidationCandidate): Underutilized: 2 nodes go together when a replacement is ready, at the cheapest two on-demand; 2 pods move; $0.6000 an hour before, $0.1000 after; budget of NodePool pool: 2 of 2 that may go",
            "NodeClaim pool-p5fqssys (DisruptionLaunching): to replace a, b, for 2 pods: 1 of 3 instance types meet the requirements and have room; the cheapest is two on-demand in zone-a at $0.1000 an hour, there is no other",
          ],
        },
      ]
    `);
  });
});

describe("the order of the methods", () => {
  const all = {
    empty: { type: "two", pods: [] },
    old: { type: "two", pods: ["1500m"], isDrifted: true },
    a: { type: "eight", pods: ["5"] },
    b: { type: "eight", pods: ["1"] },
  };

  test("empty nodes, then drifted ones, then several together, then one alone", async () => {
    const world = worldWith(all);
    expect((await looks(world, 1))[0]?.commands).toEqual([`state {"proposal.emptiness":"${nowMs} delete uid-empty"}`]);
    world.remove("NodeClaim", "empty");
    world.remove("Node", "node-empty");
    const decision = await look(world);
    expect(decision.commands.map(written)).toContainEqual(
      expect.stringMatching(/^taint-node node-old$|^create-node-claim .* for old: /),
    );
  });

  test("while an earlier proposal waits nothing later is begun", async () => {
    const world = worldWith(all);
    await world.tick(stages);
    world.atMs += 5_000;
    const decision = await look(world);
    expect(decision.commands).toEqual([]);
    expect(decision.againAtMs).toBe(nowMs + 15_000);
  });
});

test("a tick that makes nodes does not search for what could be consolidated: their launch comes after it", async () => {
  const world = worldWith({ a: { type: "eight", pods: ["1500m"] } });
  const snapshot = await world.snapshot();
  const command = { kind: "create-node-claim", nodeClaim: upClaim("new") } as const;
  const steps = [{ stage: "provisioning", command, outcome: { kind: "done" } }] as const;
  expect(deciding?.decide(snapshot).commands).not.toEqual([]);
  expect(deciding?.decide({ ...snapshot, steps }).commands).toEqual([]);
});

describe("a proposal after 15 s", () => {
  const two = { a: { type: "eight", pods: ["1500m"] }, b: { type: "eight", pods: ["1500m"] } };

  test("that holds no more is dropped, with an event on each of its nodes", async () => {
    const world = worldWith(two);
    await world.tick(stages);
    expect(world.state["proposal.multi"]).toBe(`${nowMs} replace uid-a,uid-b`);
    world.atMs += 15_000;
    world.put(podAsking(podOf("more", "a"), "6"));
    const { reasons } = await look(world);
    const rejected = reasons.filter(({ event }) => event?.reason === "ConsolidationRejected");
    expect(rejected.map(({ about }) => about.name)).toEqual(["a", "b"]);
  });

  test("that is dropped lets the next method have its turn, though other nodes have become empty", async () => {
    const world = worldWith({
      a: { type: "two", pods: [] },
      b: { type: "two", pods: ["100m"] },
      old: { type: "two", pods: ["1500m"], isDrifted: true },
    });
    await world.tick(stages);
    expect(world.state["proposal.emptiness"]).toBe(`${nowMs} delete uid-a`);
    world.atMs += 15_000;
    world.put(podAsking(podOf("more", "a"), "1500m"));
    world.remove("Pod", "default/b-0");
    const { commands } = await look(world);
    expect(commands.map(written)).toContainEqual(
      expect.stringMatching(/^taint-node node-old$|^create-node-claim .* for old: /),
    );
    expect(commands.map(written)).toContain('state {"proposal.emptiness":null}');
  });

  test("that never holds, since pods go to and fro between nodes, holds no drifted node back", async () => {
    const world = worldWith({
      a: { type: "two", pods: [] },
      b: { type: "two", pods: ["100m"] },
      old: { type: "two", pods: ["1500m"], isDrifted: true },
    });
    let [empty, full] = ["a", "b"];
    const seen = await looks(world, 5, () => {
      [empty, full] = [full, empty];
      world.remove("Pod", `default/${empty}-0`);
      world.put(podAsking(podOf(`${full}-0`, full), "1500m"));
    });
    const isBegun = (one: string): boolean => one === "taint-node node-old" || one.includes(" for old: Drifted");
    const begun = seen.findIndex(({ commands }) => commands.some(isBegun));
    expect(begun).toBe(1);
  });

  test("is looked at again at every budget: none is begun beyond it", async () => {
    const world = worldWith(two);
    await world.tick(stages);
    world.atMs += 15_000;
    world.put(readyPool("pool", { consolidateAfter: "0s", budgets: [{ nodes: "1" }] }));
    expect((await look(world)).commands.filter(({ kind }) => kind === "create-node-claim")).toEqual([]);
  });
});
