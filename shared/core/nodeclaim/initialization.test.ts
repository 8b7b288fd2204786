import { describe, expect, test } from "vitest";
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { conditionsOf, joiningStages, notReady, startup, ticked } from "../../../test/support/joining-world.ts";
import {
  claimOf,
  nodeOf,
  nowMs,
  poolOf,
  provider,
  snapshotOf,
  statusOf,
} from "../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import { lifecycle } from "./lifecycle.ts";

const stage = lifecycle(provider);

describe("initialization", () => {
  const registeredClaim = (spec: NonNullable<Parameters<typeof claimOf>[1]>["spec"] = {}) =>
    claimOf("a", { status: statusOf("a", "registered"), spec });
  const initializedReason = (claim: NodeClaim, node: Node) => {
    const { commands } = stage.decide(snapshotOf({ nodeClaims: [claim], nodes: [node] }));
    const patch = commands.find((command) => command.kind === "patch-status");
    const conditions = patch?.status.conditions as
      | readonly { type: string; status: string; reason: string }[]
      | undefined;
    const found = conditions?.find(({ type }) => type === "Initialized");
    return `${found?.status} ${found?.reason}`;
  };

  test.each([
    ["NodeNotReady", registeredClaim(), nodeOf("a", { ready: "False" })],
    ["StartupTaintsExist", registeredClaim({ startupTaints: [startup] }), nodeOf("a", { spec: { taints: [startup] } })],
    ["KnownEphemeralTaintsExist", registeredClaim(), nodeOf("a", { spec: { taints: [notReady] } })],
    ["ResourceNotRegistered", registeredClaim({ resources: { requests: { "nvidia.com/gpu": "1" } } }), nodeOf("a")],
  ] as const)("waits: %s", (reason, claim, node) => {
    expect(initializedReason(claim, node)).toBe(`Unknown ${reason}`);
  });

  test("a resource requested with zero is not waited for", () => {
    const claim = registeredClaim({ resources: { requests: { "nvidia.com/gpu": "0", cpu: "1" } } });
    expect(initializedReason(claim, nodeOf("a"))).toBe("True Initialized");
  });

  test("all met: condition, root Ready and the node's label, and nothing more in the next tick", async () => {
    const node = nodeOf("a", { labels: { "karpenter.sh/registered": "true" } });
    const world = new SmallWorld(nowMs, { nodeClaims: [registeredClaim()], nodes: [node], nodePools: [poolOf()] });
    const end = await ticked(world);
    expect(conditionsOf(end.claim)).toMatchObject({
      Initialized: "True Initialized",
      Ready: "True Ready",
      Consolidatable: "True Consolidatable",
    });
    expect(end.node?.metadata.labels?.["karpenter.sh/initialized"]).toBe("true");
    await world.tick(joiningStages);
    expect(world.steps).toEqual([]);
  });

  test("a node that is not Ready later stays initialized", () => {
    const claim = claimOf("a", { status: statusOf("a", "initialized") });
    expect(
      stage.decide(snapshotOf({ nodeClaims: [claim], nodes: [nodeOf("a", { ready: "False" })] })).commands,
    ).toEqual([]);
  });
});
