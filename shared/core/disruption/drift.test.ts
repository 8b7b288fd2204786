import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import {
  claimsIn,
  drifted,
  driftingProvider,
  lifeStagesOf,
  podAsking,
  readyPool,
  timePasses,
  upClaim,
  worldOf,
} from "../../../test/support/disruption-world.ts";
import { minuteMs, podOf, snapshotOf } from "../../../test/support/lifecycle-samples.ts";
import { stagesNamed } from "../../../test/support/sample-stages.ts";
import type { SmallWorld } from "../../../test/support/small-world.ts";
import type { Decision } from "../decision.ts";
import type { Stage } from "../stage.ts";
import { uncuredDrifts } from "./drift-damping.ts";

/** Claims that are here from the start have drifted, what comes for them has not. */
const fromTheStart = driftingProvider(({ metadata }) =>
  metadata.name.startsWith("pool") ? undefined : { reason: "SampleDrift", message: "old" },
);
const stages = lifeStagesOf(fromTheStart);
const deciding = stagesNamed(["lifecycle", "disruption"], fromTheStart);

const old = (name: string, agoMs = 0, pool = "pool") => upClaim(name, pool, [drifted("old", agoMs)]);
const launched = (world: SmallWorld) =>
  world.steps.flatMap(({ command }) => (command.kind === "launch-instance" ? [command.nodeClaim] : []));

/** What the stage decides in this very moment. */
async function decided(world: SmallWorld, all: readonly Stage[] = deciding): Promise<Decision> {
  const stage = all.find(({ name }) => name === "disruption");
  if (stage === undefined) throw new Error("the stage is there");
  return stage.decide(await world.snapshot());
}

const marked = ({ commands }: Decision) =>
  commands.flatMap((command) => (command.kind === "taint-node" ? [command.target.name] : []));
const replaced = ({ commands }: Decision) =>
  commands.flatMap((command) =>
    command.kind === "create-node-claim" ? [command.nodeClaim.metadata.annotations?.["outrigger.dev/replaces"]] : [],
  );
const messages = ({ reasons }: Decision) => reasons.map(({ message }) => message);

describe("drifted nodes go", () => {
  test("one at a time, empty ones first, then those that drifted first", async () => {
    const world = worldOf([old("a", 3 * minuteMs), old("b", 5 * minuteMs), old("c")], {
      pods: [podAsking(podOf("p", "a"), "1500m"), podAsking(podOf("q", "b"), "1500m")],
    });
    expect(marked(await decided(world))).toEqual(["node-c"]);
    world.remove("Node", "node-c");
    world.remove("NodeClaim", "c");
    expect(replaced(await decided(world))).toEqual(["b"]);
  });

  test("without a replacement where the others have room for their pods", async () => {
    const world = worldOf([old("a"), upClaim("pool-new")], { pods: [podOf("p", "a")] });
    const decision = await decided(world);
    expect(marked(decision)).toEqual(["node-a"]);
    expect(messages(decision)).toContain(
      "Drifted: this node goes; 1 pod moves; $0.1000 an hour before, $0.0000 after; budget of NodePool pool: 1 of 2 that may go",
    );
  });

  test("at once: no proposal waits", async () => {
    const world = worldOf([old("a")]);
    await world.tick(stages);
    expect(world.get<NodeClaim>("NodeClaim", "a")?.metadata.deletionTimestamp).toBeDefined();
    expect(world.state).toEqual({});
  });

  test("what cannot go is said, and the next one goes", async () => {
    const huge = podAsking(podOf("huge", "a"), "8");
    const world = worldOf([old("a", 9 * minuteMs), old("b")], { pods: [huge, podAsking(podOf("p", "b"), "1500m")] });
    const decision = await decided(world);
    expect(replaced(decision)).toEqual(["b"]);
    expect(messages(decision)).toContainEqual(
      expect.stringMatching(/^Drifted: stays, its pods have no other place: .*cpu 8 is wanted/),
    );
  });
});

describe("what keeps a drifted node", () => {
  const guarded = (change: Partial<NodeClaim["spec"]> = {}) => {
    const claim = old("a");
    return { ...claim, spec: { ...claim.spec, ...change } };
  };
  const shy: Pod = podOf("p", "a", { annotations: { "karpenter.sh/do-not-disrupt": "true" } });

  test("a pod that asks not to be disrupted, and that is said", async () => {
    const decision = await decided(worldOf([guarded()], { pods: [shy] }));
    expect(decision.commands).toEqual([]);
    expect(decision.reasons.map(({ about, event }) => `${about.kind} ${event?.reason}`)).toEqual([
      "Node DisruptionBlocked",
      "NodeClaim DisruptionBlocked",
    ]);
  });

  test("not when its claim has a terminationGracePeriod: then it goes, and nothing is made for the pod that cannot leave", async () => {
    const decision = await decided(worldOf([guarded({ terminationGracePeriod: "1h" })], { pods: [shy] }));
    expect(marked(decision)).toEqual(["node-a"]);
    expect(replaced(decision)).toEqual([]);
  });

  test.each<[string, Partial<NodePool["spec"]["disruption"]>, readonly string[]]>([
    ["a budget of none", { budgets: [{ nodes: "0" }] }, []],
    ["a budget for Drifted", { budgets: [{ nodes: "0", reasons: ["Drifted"] }] }, []],
    ["not a budget for another reason", { budgets: [{ nodes: "0", reasons: ["Empty"] }] }, ["node-a"]],
  ])("%s", async (_, disruption, gone) => {
    expect(marked(await decided(worldOf([old("a")], { nodePools: [readyPool("pool", disruption)] })))).toEqual(gone);
  });

  test("a fixed number of nodes (replicas)", async () => {
    const pool = readyPool();
    const world = worldOf([old("a")], { nodePools: [{ ...pool, spec: { ...pool.spec, replicas: 1 } }] });
    expect((await decided(world)).commands).toEqual([]);
  });

  test("a look that was not whole", async () => {
    const world = worldOf([old("a")]);
    world.incomplete = ["DescribeInstances"];
    expect((await decided(world)).commands).toEqual([]);
  });
});

test("the decision does not depend on the order of the objects", async () => {
  const claims = ["a", "b", "c", "d"].map((name) => old(name));
  const pods = ["a", "b", "c", "d"].map((name) => podAsking(podOf(`p-${name}`, name), "1500m"));
  const { cluster } = await worldOf(claims, { pods }).snapshot();
  const [stage] = stagesNamed(["disruption"], fromTheStart);
  const backwards = Object.fromEntries(
    Object.entries(cluster).map(([key, list]) => [key, Array.isArray(list) ? [...list].reverse() : list]),
  );
  const decision = stage?.decide(snapshotOf(cluster));
  expect(decision?.commands).not.toEqual([]);
  expect(stage?.decide(snapshotOf(backwards))).toEqual(decision);
});

describe("row 38: a drift that replacing does not cure", () => {
  const always = driftingProvider(({ metadata }) => ({
    reason: "SecurityGroupDrift",
    message: `i-${metadata.name} has sg-b, which the class does not name`,
  }));

  /** Each tick a minute; pods that had to leave come back on nodes that are up, one a node. Answers the launches. */
  async function launchesIn(world: SmallWorld, minutes: number, pods: readonly string[]): Promise<number> {
    let count = 0;
    for (let i = 0; i < minutes; i++) {
      await world.tick(lifeStagesOf(always));
      count += launched(world).length;
      await timePasses(world, minuteMs);
      const { cluster } = await world.snapshot();
      const taken = cluster.pods.map(({ spec }) => spec.nodeName);
      const free = cluster.nodeClaims.flatMap(({ status, metadata }) =>
        metadata.deletionTimestamp !== undefined || status?.nodeName === undefined || taken.includes(status.nodeName)
          ? []
          : [metadata.name],
      );
      const away = pods.filter((name) => !cluster.pods.some(({ metadata }) => metadata.name === name));
      away.slice(0, free.length).forEach((name, index) => {
        world.put(podAsking(podOf(name, free[index]), "1500m"));
      });
    }
    return count;
  }

  test("ends after two replacements, with an event that names what differs; a changed pool begins anew", async () => {
    const world = worldOf([upClaim("a")], { pods: [podAsking(podOf("p", "a"), "1500m")] });
    expect(await launchesIn(world, 120, ["p"])).toBe(2);
    const { reasons } = await decided(world, lifeStagesOf(always));
    const [kept] = claimsIn((await world.snapshot()).cluster);
    expect(reasons.filter(({ about }) => about.kind === "NodePool")).toEqual([
      expect.objectContaining({
        code: "pool-budget",
        event: { type: "Warning", reason: "DisruptionBlocked", once: true },
        message: `Drifted nodes are kept: 2 replacements have drifted for SecurityGroupDrift again (i-${kept} has sg-b, which the class does not name); mend the cause, or change the NodePool or its node class`,
      }),
    ]);
    world.put({ ...readyPool(), metadata: { ...readyPool().metadata, generation: 2 } });
    expect(await launchesIn(world, 60, ["p"])).toBe(2);
  });

  test("of several nodes side by side ends after two as well", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const pods = names.map((name) => `p-${name}`);
    const world = worldOf(
      names.map((name) => upClaim(name)),
      {
        pods: names.map((name) => podAsking(podOf(`p-${name}`, name), "1500m")),
        nodePools: [readyPool("pool", { budgets: [{ nodes: "1" }] })],
      },
    );
    expect(await launchesIn(world, 120, pods)).toBe(2);
  });

  test("a node that was well for longer than a day drifts anew", async () => {
    const claim = upClaim("a");
    const provider = driftingProvider(() => ({ reason: "AMIDrift", message: "runs ami-1; it boots ami-2 now" }));
    const once = lifeStagesOf(provider);
    const world = worldOf([claim], { pods: [podAsking(podOf("p", "a"), "1500m")] });
    await world.tick(once);
    const cure = claimsIn((await world.snapshot()).cluster)
      .map((name) => world.get<NodeClaim>("NodeClaim", name)?.metadata.annotations?.["outrigger.dev/disruption"])
      .find((text) => text !== undefined);
    const relapsed = (sinceMs: number): NodeClaim => {
      const made = upClaim("pool-b", "pool", [
        { ...drifted("runs ami-1; it boots ami-2 now", sinceMs), reason: "AMIDrift" },
      ]);
      return { ...made, metadata: { ...made.metadata, annotations: { "outrigger.dev/disruption": cure ?? "" } } };
    };
    const { cluster } = await worldOf([upClaim("a")]).snapshot();
    const uncured = (sinceMs: number) => {
      const nodeClaims = [
        relapsed(sinceMs),
        { ...relapsed(sinceMs), metadata: { ...relapsed(sinceMs).metadata, name: "pool-c" } },
      ];
      return uncuredDrifts(nodeClaims, { ...cluster, nodeClaims }).map(({ replacements }) => replacements);
    };
    expect(uncured(0)).toEqual([2]);
    expect(uncured(-24 * 60 * minuteMs)).toEqual([]);
  });
});

test("row 40: a pool without capacity is tried again with growing waits, and the others go on", async () => {
  const bound = (name: string, on: string, pool: string) =>
    podAsking(podOf(name, on, { spec: { nodeSelector: { "karpenter.sh/nodepool": pool } } }), "1500m");
  const world = worldOf([old("a", 9 * minuteMs, "pool-a"), old("b", 0, "pool-b")], {
    nodePools: [readyPool("pool-a"), readyPool("pool-b")],
    pods: [bound("p", "a", "pool-a"), bound("q", "b", "pool-b")],
  });
  world.fault = (command) =>
    command.kind === "launch-instance" && command.nodeClaim.startsWith("pool-a") ? "insufficient-capacity" : undefined;
  const tried: number[] = [];
  for (let second = 0; second < 1_800; second += 10) {
    await world.tick(stages);
    if (launched(world).some((name) => name.startsWith("pool-a"))) tried.push(second);
    await timePasses(world, 10_000);
  }
  expect(tried).toEqual([0, 70, 200, 450, 940]);
  const names = claimsIn((await world.snapshot()).cluster);
  expect(names).toEqual(["a", expect.stringMatching(/^pool-b-/)]);
});
