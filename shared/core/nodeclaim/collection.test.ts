import { describe, expect, test } from "vitest";
import { clusterIdentityTag } from "#api/outrigger-names.ts";
import {
  ago,
  claimOf,
  instanceOf,
  minuteMs,
  nodeOf,
  nowMs,
  provider,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import type { Instance } from "../instance.ts";
import { collection, collectionKey } from "./collection.ts";

const stage = collection(provider);
const seenBefore = { [collectionKey]: "1" };

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
  const decision = stage.decide(snapshotOf({ state: seenBefore, ...cluster }, { instances, incomplete }));
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

  test("an instance with another cluster's identity is reported and not touched; one without is not ours to speak of", () => {
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
    const problems = [{ object: "NodeClaim/broken", field: "spec", message: "must be an object" }];
    expect(collected({ problems }, [instanceOf("broken")]).ids).toEqual([]);
  });

  test("a partial read collects nothing and says so", () => {
    expect(collected({}, [instanceOf("lost")], ["DescribeInstances"])).toMatchObject({ ids: [], codes: ["brake"] });
  });

  test("the first tick that finds something remembers it and collects nothing", () => {
    const { ids, commands } = collected({ state: {} }, [instanceOf("lost")]);
    expect(ids).toEqual([]);
    expect(commands).toEqual([{ kind: "patch-state", key: collectionKey, value: String(nowMs) }]);
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

test("facts of the state that say nothing any more are removed", () => {
  const state = {
    "unavailable.spot.small.zone-a": `${nowMs - 200_000} 180000`,
    "unavailable.spot.small.zone-b": `${nowMs} 180000`,
  };
  expect(stage.decide(snapshotOf({ state })).commands).toEqual([
    { kind: "patch-state", key: "unavailable.spot.small.zone-a", value: null },
  ]);
});

describe("claims whose instance is gone", () => {
  const deletions = (
    cluster: Parameters<typeof snapshotOf>[0],
    instances: readonly Instance[] = [],
    incomplete: string[] = [],
  ) =>
    collected(cluster, instances, incomplete).commands.flatMap((c) =>
      c.kind === "delete-object" ? [c.target.name] : [],
    );
  const registered = claimOf("a", { status: statusOf("a", "registered") });

  test("a registered claim is deleted when its Node is not Ready or missing, and kept while it is Ready", () => {
    expect(deletions({ nodeClaims: [registered] })).toEqual(["a"]);
    expect(deletions({ nodeClaims: [registered], nodes: [nodeOf("a", { ready: "False" })] })).toEqual(["a"]);
    expect(deletions({ nodeClaims: [registered], nodes: [nodeOf("a")] })).toEqual([]);
  });

  test("a young claim is never gone: EC2 may hide a new instance for a minute", () => {
    const young = claimOf("a", { status: statusOf("a", "registered", nowMs - minuteMs) });
    expect(deletions({ nodeClaims: [young] })).toEqual([]);
    const older = claimOf("a", { status: statusOf("a", "registered", nowMs - minuteMs - 1_000) });
    expect(deletions({ nodeClaims: [older] })).toEqual(["a"]);
  });

  test("a claim that never registered goes only when its instance is listed as terminated", () => {
    const launched = claimOf("a", { status: statusOf("a", "launched"), creationTimestamp: ago(11 * minuteMs) });
    expect(deletions({ nodeClaims: [launched] })).toEqual([]);
    expect(deletions({ nodeClaims: [launched] }, [instanceOf("a", { state: "terminated" })])).toEqual(["a"]);
  });

  test("an instance on its way out is not gone, and a partial read proves nothing", () => {
    expect(deletions({ nodeClaims: [registered] }, [instanceOf("a", { state: "shutting-down" })])).toEqual([]);
    expect(deletions({ nodeClaims: [registered] }, [], ["DescribeInstances"])).toEqual([]);
  });
});
