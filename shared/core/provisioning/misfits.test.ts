import { describe, expect, test } from "vitest";
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { formatTime } from "#api/time.ts";
import type { ClusterView } from "#core/snapshot.ts";
import { stateAfter } from "#core/state/state-patch.ts";
import {
  boundPod,
  instanceType,
  launched,
  node,
  nodePool,
  nowMs,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "./plan.ts";
import { provisioning } from "./provisioning.ts";

/** Estimated at 4 GiB; the nodes of these tests report less. */
const type = instanceType("four", 2);
const pod = pendingPod("p", { memory: "3900Mi" });
const minuteMs = 60_000;

interface World {
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodes: readonly Node[];
  readonly state: Readonly<Record<string, string>>;
}
const nothingYet: World = { nodeClaims: [], nodes: [], state: {} };

function look(world: World, minute: number, more: Partial<ClusterView> = {}): Plan {
  const snapshot = snapshotOf({ nodePools: [nodePool("default")], pods: [pod], ...world, ...more }, [type]);
  return planProvisioning(
    { ...snapshot, nowMs: nowMs + minute * minuteMs, decisionId: `tick-${minute}` },
    testProvider,
  );
}

/** A look, and then its claims join as initialised nodes with so much memory. */
function lookAndJoin(world: World, minute: number, memory: string): World & { readonly made: number } {
  const { claims, remember } = look(world, minute);
  const made = claims.map(({ nodeClaim }) => {
    const claim = launched(nodeClaim, type, "zone-a", "spot");
    const creationTimestamp = formatTime(nowMs + (minute + 0.5) * minuteMs);
    const { labels = {}, name } = claim.metadata;
    const initialized = { ...labels, "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true" };
    return {
      claim,
      node: node(name, { cpu: "2", memory, pods: "110" }, { labels: initialized, meta: { creationTimestamp } }),
    };
  });
  return {
    nodeClaims: [...world.nodeClaims, ...made.map(({ claim }) => claim)],
    nodes: [...world.nodes, ...made.map((one) => one.node)],
    state: stateAfter(world.state, [{ data: remember }]),
    made: made.length,
  };
}

describe("a pod whose node turns out too small (users' rows 3 and 5)", () => {
  test("gets one more node at most, and is told which resource misses by how much", () => {
    let world: World = nothingYet;
    const made: number[] = [];
    for (let minute = 0; minute < 5; minute++) {
      const next = lookAndJoin(world, minute, "3800Mi");
      made.push(next.made);
      world = next;
    }
    expect(made).toEqual([1, 1, 0, 0, 0]);
    expect(look(world, 5).unschedulable.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^2 nodes were made for it and it fits on none of them, the last: node \S+ has memory 3.711Gi for pods beside daemons, 3.809Gi is wanted, 100Mi short; no more are made for 57 min$/,
      ),
    ]);
  });

  test("is not tried again because the useless nodes are gone, only because time passed", () => {
    const first = lookAndJoin(nothingYet, 0, "3800Mi");
    const second = lookAndJoin({ ...nothingYet, ...first }, 1, "3800Mi");
    const third = lookAndJoin(second, 2, "3800Mi");
    const emptied = { ...nothingYet, state: third.state };
    expect(look(emptied, 10).claims).toEqual([]);
    const later = look(emptied, 63);
    expect(later.claims).toHaveLength(1);
    expect(Object.values(later.remember)).toEqual([null]);
  });

  test("is no such pod when the node is full of others", () => {
    const world = lookAndJoin(nothingYet, 0, "4Gi");
    const other = boundPod("other", world.nodes[0]?.metadata.name ?? "", { memory: "3Gi" });
    const { claims, remember } = look(world, 1, { pods: [pod, other] });
    expect([claims.length, remember]).toEqual([1, {}]);
  });

  test("whose second launch only failed is not given up", () => {
    const first = lookAndJoin(nothingYet, 0, "3800Mi");
    const second = lookAndJoin(first, 1, "3800Mi");
    expect(look({ ...first, state: second.state }, 2).claims).toHaveLength(1);
  });
});

test("the stage writes what it has to remember in one patch", () => {
  const world = lookAndJoin(nothingYet, 0, "3800Mi");
  const snapshot = snapshotOf({ nodePools: [nodePool("default")], pods: [pod], ...world }, [type]);
  const { commands } = provisioning(testProvider).decide(snapshot);
  expect(commands.map(({ kind }) => kind)).toEqual(["create-node-claim", "patch-state"]);
});
