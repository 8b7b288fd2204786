import { describe, expect, test } from "vitest";
import { clusterIdentityTag } from "#api/outrigger-names.ts";
import {
  claimOf,
  instanceOf,
  minuteMs,
  nodeOf,
  nowMs,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import type { Instance } from "../instance.ts";
import { instanceGarbageCollection } from "./instance-garbage-collection.ts";

const lookedKey = "collection.looked";
const lookedBefore = { [lookedKey]: String(nowMs - minuteMs) };

function claimsWithInstances(count: number) {
  const names = Array.from({ length: count }, (_, i) => `kept-${i}`);
  return {
    nodeClaims: names.map((name) => claimOf(name, { status: statusOf(name, "initialized") })),
    instances: names.map((name) => instanceOf(name)),
  };
}

function collected(
  cluster: Parameters<typeof snapshotOf>[0],
  instances: readonly Instance[],
  incomplete: string[] = [],
) {
  const snapshot = snapshotOf({ state: lookedBefore, ...cluster }, { instances, incomplete });
  const decision = instanceGarbageCollection.decide(snapshot);
  const ids = decision.commands.flatMap((c) => (c.kind === "terminate-instance" ? [c.instanceId] : []));
  return { ids, codes: decision.reasons.map(({ code }) => code), commands: decision.commands };
}

describe("collection of instances without a claim", () => {
  test("an instance older than 30 s that no claim owns is terminated, and its Node deleted", () => {
    const { ids, commands } = collected({ nodes: [nodeOf("lost")] }, [instanceOf("lost")]);
    expect(ids).toEqual(["i-lost"]);
    expect(commands).toContainEqual({
      kind: "delete-object",
      target: expect.objectContaining({ kind: "Node", name: "node-lost" }),
    });
  });

  test("a younger one is not, nor one that is ending", () => {
    expect(collected({}, [instanceOf("young", { launchedAtMs: nowMs - 30_000 })]).ids).toEqual([]);
    expect(collected({}, [instanceOf("old", { launchedAtMs: nowMs - 30_001 })]).ids).toEqual(["i-old"]);
    expect(collected({}, [instanceOf("ending", { state: "shutting-down" })]).ids).toEqual([]);
  });

  test("row 62: an instance with another cluster's identity is reported and not touched; one without is not ours to speak of", () => {
    const tags = { ...instanceOf("x").tags, [clusterIdentityTag]: "arn:sample@0" };
    expect(collected({}, [instanceOf("x", { tags })])).toMatchObject({ ids: [], codes: ["instance-kept"] });
    expect(collected({}, [instanceOf("y", { tags: { "karpenter.sh/nodepool": "pool" } })])).toMatchObject({
      ids: [],
      codes: [],
    });
  });

  test("a claim that has recorded no instance protects the one launched for it; a second one of a claim is collected", () => {
    expect(collected({ nodeClaims: [claimOf("a")] }, [instanceOf("a")]).ids).toEqual([]);
    const second = instanceOf("second", { tags: instanceOf("a").tags });
    const claim = claimOf("a", { status: statusOf("a", "launched") });
    expect(collected({ nodeClaims: [claim] }, [instanceOf("a"), second]).ids).toEqual(["i-second"]);
  });

  test("a claim that could not be read protects its instance", () => {
    const unreadable = (kind: "NodeClaim" | "Pod", name: string) => ({
      problems: [{ ref: { kind, name }, field: "spec", message: "must be an object" }],
    });
    expect(collected(unreadable("NodeClaim", "broken"), [instanceOf("broken")]).ids).toEqual([]);
    expect(collected(unreadable("NodeClaim", "broken-2"), [instanceOf("broken")]).ids).toEqual(["i-broken"]);
    expect(collected(unreadable("Pod", "broken"), [instanceOf("broken")]).ids).toEqual(["i-broken"]);
  });
});

describe("brakes", () => {
  test("a partial read collects nothing and says so", () => {
    expect(collected({}, [instanceOf("lost")], ["DescribeInstances"])).toMatchObject({ ids: [], codes: ["brake"] });
  });

  test.each([
    ["nobody has looked yet", {}],
    ["the last look was more than 10 min ago", { [lookedKey]: String(nowMs - 10 * minuteMs - 1) }],
    ["the last look is in the future", { [lookedKey]: String(nowMs + 1) }],
    ["the time of the last look cannot be read", { [lookedKey]: "yesterday" }],
  ])("when %s the tick only looks, and remembers that it did", (_, state) => {
    const { ids, codes, commands } = collected({ state }, [instanceOf("lost")]);
    expect(ids).toEqual([]);
    expect(codes).toEqual(["brake"]);
    expect(commands).toEqual([{ kind: "patch-state", data: { [lookedKey]: String(nowMs) } }]);
  });

  test("the brake works each time nobody has looked for a while, not once in a cluster's life", async () => {
    const world = new SmallWorld(nowMs, {});
    const lost = async (): Promise<number> => {
      world.instances = [instanceOf("lost", { launchedAtMs: world.atMs - minuteMs })];
      await world.tick([instanceGarbageCollection]);
      return world.steps.filter(({ command }) => command.kind === "terminate-instance").length;
    };
    expect(await lost()).toBe(0);
    world.atMs += minuteMs;
    expect(await lost()).toBe(1);
    world.atMs += 11 * minuteMs;
    expect(await lost()).toBe(0);
    world.atMs += minuteMs;
    expect(await lost()).toBe(1);
  });

  test("the look is remembered each five minutes, not each tick", async () => {
    const world = new SmallWorld(nowMs, { nodeClaims: [claimOf("a", { status: statusOf("a", "initialized") })] });
    world.instances = [instanceOf("a")];
    let writes = 0;
    for (let minute = 0; minute < 30; minute++) {
      await world.tick([instanceGarbageCollection]);
      writes += world.steps.length;
      world.atMs += minuteMs;
    }
    expect(writes).toBe(6);
  });

  test("without instances of ours nothing is remembered, since a quiet cluster must stay quiet", () => {
    expect(collected({ state: {} }, []).commands).toEqual([]);
    expect(collected({ state: {} }, [instanceOf("x", { tags: {} })]).commands).toEqual([]);
  });

  test.each([
    { lost: 3, kept: 0, collects: true },
    { lost: 4, kept: 16, collects: true },
    { lost: 4, kept: 15, collects: false },
  ])("$lost of $lost + $kept: more than 3 and more than 20 % at once is braked", ({ lost, kept, collects }) => {
    const { nodeClaims, instances } = claimsWithInstances(kept);
    const orphans = Array.from({ length: lost }, (_, i) => instanceOf(`lost-${i}`));
    const { ids, codes } = collected({ nodeClaims }, [...instances, ...orphans]);
    expect(ids).toHaveLength(collects ? lost : 0);
    expect(codes.includes("brake")).toBe(!collects);
  });
});
