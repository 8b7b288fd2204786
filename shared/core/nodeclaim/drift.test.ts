import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import {
  ago,
  claimOf,
  instanceOf,
  minuteMs,
  nodeOf,
  nowMs,
  poolOf,
  provider as sampleProvider,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { stagesNamed } from "../../../test/support/sample-stages.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import type { CloudDrift, CloudProvider } from "../cloud-provider.ts";
import { nodePoolHash, nodePoolHashVersion } from "../nodepool/hash.ts";

const hashKey = "karpenter.sh/nodepool-hash";
const versionKey = "karpenter.sh/nodepool-hash-version";
const hashed = (nodePool: NodePool) => ({ [hashKey]: nodePoolHash(nodePool), [versionKey]: nodePoolHashVersion });
const labels = {
  "karpenter.sh/nodepool": "pool",
  "node.kubernetes.io/instance-type": "small",
  "topology.kubernetes.io/zone": "zone-a",
  "karpenter.sh/capacity-type": "on-demand",
};

type Template = NodePool["spec"]["template"];

function poolWith(spec: Partial<Template["spec"]> = {}, metadata: Template["metadata"] = {}): NodePool {
  const pool = poolOf();
  const { template } = pool.spec;
  return { ...pool, spec: { ...pool.spec, template: { metadata, spec: { ...template.spec, ...spec } } } };
}

/** A claim that was made from the pool as it was, and is up. */
function madeFrom(pool: NodePool, change: Parameters<typeof claimOf>[1] = {}): NodeClaim {
  const { spec, metadata } = pool.spec.template;
  return claimOf("a", {
    labels: { ...labels, ...metadata?.labels },
    annotations: hashed(pool),
    status: statusOf("a", "initialized"),
    ...change,
    spec: { expireAfter: spec.expireAfter, ...(spec.taints === undefined ? {} : { taints: spec.taints }) },
  });
}

interface Around {
  readonly claim?: NodeClaim;
  readonly cloud?: CloudDrift;
  readonly types?: ReturnType<CloudProvider<undefined, unknown>["instanceTypes"]>;
  readonly incomplete?: readonly string[];
  readonly instances?: boolean;
}

/** The condition Drifted of claim `a` after a tick, and what was written. */
async function driftOf(pool: NodePool, { claim, cloud, types, incomplete = [], instances = true }: Around = {}) {
  const provider = {
    ...sampleProvider,
    drift: () => cloud,
    ...(types === undefined ? {} : { instanceTypes: () => types }),
  };
  const world = new SmallWorld(nowMs, {
    nodePools: [pool],
    nodeClaims: [claim ?? madeFrom(pool)],
    nodes: [nodeOf("a")],
  });
  world.incomplete = incomplete;
  world.instances = instances ? [instanceOf("a")] : [];
  await world.tick(stagesNamed(["node-pool-status", "lifecycle"], provider));
  const found = world.get<NodeClaim>("NodeClaim", "a")?.status?.conditions?.find(({ type }) => type === "Drifted");
  return found === undefined ? undefined : `${found.status} ${found.reason}: ${found.message}`;
}

const withDrifted = (claim: NodeClaim): NodeClaim => ({
  ...claim,
  status: {
    ...claim.status,
    conditions: [
      ...(claim.status?.conditions ?? []),
      { type: "Drifted", status: "True", reason: "AMIDrift", message: "old", lastTransitionTime: ago(minuteMs) },
    ],
  },
});

test("a node as its pool and class ask for it has not drifted", async () => {
  expect(await driftOf(poolWith())).toBeUndefined();
});

describe("NodePoolDrifted names what changed in the template", () => {
  const before = poolWith({ expireAfter: "720h" }, { labels: { team: "a" } });
  test.each<[string, NodePool, string]>([
    ["a duration", poolWith({ expireAfter: "24h" }, { labels: { team: "a" } }), "expireAfter (720h, now 24h)"],
    ["a label", poolWith({}, { labels: { team: "b" } }), "label team"],
    ["a label that is gone", poolWith(), "a label or an annotation was taken out"],
    [
      "taints, and an annotation",
      poolWith({ taints: [{ key: "k", effect: "NoSchedule" }] }, { labels: { team: "a" }, annotations: { x: "1" } }),
      "annotation x, taints",
    ],
  ])("%s", async (_, after, words) => {
    expect(await driftOf(after, { claim: madeFrom(before) })).toBe(
      `True NodePoolDrifted: the template of NodePool pool changed since the node was made: ${words}`,
    );
  });

  test("the same duration in other words is no drift", async () => {
    expect(
      await driftOf(poolWith({ expireAfter: "43200m" }, { labels: { team: "a" } }), { claim: madeFrom(before) }),
    ).toBeUndefined();
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ["no hash", { [versionKey]: nodePoolHashVersion }],
    ["no version", { [hashKey]: "1" }],
  ])("%s on the claim tells nothing", async (_, annotations) => {
    expect(await driftOf(poolWith(), { claim: madeFrom(before, { annotations }) })).toBeUndefined();
  });

  test("row 39: a hash of another version is rewritten, and drifts nothing", async () => {
    const claim = madeFrom(before, { annotations: { [hashKey]: "1", [versionKey]: "v2" } });
    expect(await driftOf(poolWith(), { claim })).toBeUndefined();
  });
});

describe("RequirementsDrifted", () => {
  const zoned = (values: readonly string[]) =>
    poolWith({ requirements: [{ key: "topology.kubernetes.io/zone", operator: "In", values }] });

  test("a narrower pool drifts the nodes that it no longer allows, and says so", async () => {
    expect(await driftOf(zoned(["zone-b"]))).toBe(
      "True RequirementsDrifted: NodePool pool wants topology.kubernetes.io/zone in [zone-b], has topology.kubernetes.io/zone in [zone-a]",
    );
  });

  test("a wider one drifts none", async () => {
    expect(await driftOf(zoned(["zone-a", "zone-b"]))).toBeUndefined();
  });

  test.each([
    ["Exists on a label that the node lacks", { key: "team", operator: "Exists" }, "True RequirementsDrifted"],
    ["NotIn on a label that the node lacks", { key: "team", operator: "NotIn", values: ["a"] }, undefined],
    [
      "a bound that the label breaks",
      { key: "example.com/generation", operator: "Gt", values: ["5"] },
      "True RequirementsDrifted",
    ],
    ["a bound that it keeps", { key: "example.com/generation", operator: "Gt", values: ["4"] }, undefined],
  ] as const)("%s", async (_, requirement, expected) => {
    const claim = madeFrom(poolWith(), { labels: { ...labels, "example.com/generation": "5" } });
    const found = await driftOf(poolWith({ requirements: [requirement] }), { claim });
    expect(found?.split(":")[0]).toBe(expected);
  });
});

describe("InstanceTypeNotFound", () => {
  const old = (change: Readonly<Record<string, string>> = {}) =>
    madeFrom(poolWith(), { creationTimestamp: ago(61 * minuteMs), labels: { ...labels, ...change } });

  test("a type that is gone drifts the node, once it is an hour old", async () => {
    const types = { kind: "known", instanceTypes: [] } as const;
    expect(await driftOf(poolWith(), { claim: old(), types })).toBe(
      "True InstanceTypeNotFound: instance type small is not offered",
    );
    const young = madeFrom(poolWith(), { creationTimestamp: ago(59 * minuteMs) });
    expect(await driftOf(poolWith(), { claim: young, types })).toBeUndefined();
  });

  test("an offering that cannot be had now is still an offering; one in another zone is none", async () => {
    expect(await driftOf(poolWith(), { claim: old() })).toBeUndefined();
    expect(await driftOf(poolWith(), { claim: old({ "topology.kubernetes.io/zone": "zone-b" }) })).toBe(
      "True InstanceTypeNotFound: small has no on-demand offering in zone-b",
    );
  });

  test("a reserved node is content with an on-demand offering", async () => {
    expect(await driftOf(poolWith(), { claim: old({ "karpenter.sh/capacity-type": "reserved" }) })).toBeUndefined();
  });

  test("types that are not known now leave the verdict as it was", async () => {
    const types = { kind: "unknown", message: "no catalogue" } as const;
    expect(await driftOf(poolWith(), { claim: withDrifted(old()), types })).toBe("True AMIDrift: old");
  });
});

describe("the cloud's verdict", () => {
  const cloud: CloudDrift = { reason: "SubnetDrift", message: "i-a is in subnet-9" };

  test("is written as it is", async () => {
    expect(await driftOf(poolWith(), { cloud })).toBe("True SubnetDrift: i-a is in subnet-9");
  });

  test("comes after the pool's", async () => {
    const after = poolWith({ expireAfter: "24h" });
    expect(await driftOf(after, { claim: madeFrom(poolWith()), cloud })).toContain("True NodePoolDrifted");
  });

  test("is taken back when it is over", async () => {
    expect(await driftOf(poolWith(), { claim: withDrifted(madeFrom(poolWith())) })).toBeUndefined();
  });

  test.each<[string, Around]>([
    ["a look that was not whole", { incomplete: ["instances"] }],
    ["an instance that this look did not show", { instances: false }],
  ])("%s leaves it as it was", async (_, around) => {
    expect(await driftOf(poolWith(), { claim: withDrifted(madeFrom(poolWith())), ...around })).toBe(
      "True AMIDrift: old",
    );
  });

  test("a claim that is not launched has not drifted", async () => {
    const claim = withDrifted(claimOf("a", { labels, annotations: hashed(poolWith()), status: { conditions: [] } }));
    expect(await driftOf(poolWith(), { claim, cloud })).toBeUndefined();
  });
});
