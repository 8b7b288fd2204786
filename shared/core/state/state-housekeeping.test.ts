import { describe, expect, test } from "vitest";
import { minuteMs, nodeOf, nowMs, poolOf, snapshotOf } from "../../../test/support/lifecycle-samples.ts";
import type { ClusterView } from "../snapshot.ts";
import { stateHousekeeping } from "./state-housekeeping.ts";

function removed(state: Readonly<Record<string, string>>, cluster: Partial<ClusterView> = {}): readonly string[] {
  const { commands } = stateHousekeeping.decide(snapshotOf({ ...cluster, state }));
  return commands.flatMap((command) => (command.kind === "patch-state" ? Object.keys(command.data) : []));
}

describe("facts that say nothing any more leave the state", () => {
  test.each([
    ["unavailable.spot.small.zone-a", `${nowMs - 180_001} 180000`, true],
    ["unavailable.spot.small.zone-b", `${nowMs - 180_000} 180000`, false],
    ["unavailable.spot.small.zone-c", "nonsense", true],
    ["proposal.emptiness", `${nowMs - 10 * minuteMs - 1} delete uid-a`, true],
    ["proposal.emptiness", `${nowMs - 10 * minuteMs} delete uid-a`, false],
    ["learned.small.abc", `1 2 ${nowMs - 1}`, true],
    ["learned.small.abc", `1 2 ${nowMs}`, false],
    ["misfit.abc", `2 1 ${nowMs - 1} cpu`, true],
    ["collection.looked", "1", false],
    ["pause", "1", false],
  ])("%s: %s, removed: %s", (key, value, isRemoved) => {
    expect(removed({ [key]: value })).toEqual(isRemoved ? [key] : []);
  });

  test("what is remembered of a node or a pool goes with it", () => {
    const state = {
      "eviction.uid-node-a": `${nowMs} 5000 x`,
      "eviction.uid-node-b": `${nowMs} 5000 x`,
      "registration.uid-pool-pool": "FF RegistrationFailed",
      "registration.uid-pool-old": "FF RegistrationFailed",
    };
    expect(removed(state, { nodes: [nodeOf("a")], nodePools: [poolOf()] })).toEqual([
      "eviction.uid-node-b",
      "registration.uid-pool-old",
    ]);
  });

  test("a pool that cannot be read is still there", () => {
    const ref = { kind: "NodePool", name: "pool", uid: "uid-pool-pool" } as const;
    const problems = [{ ref, field: "spec", message: "must be an object" }];
    expect(removed({ "registration.uid-pool-pool": "FF RegistrationFailed" }, { problems })).toEqual([]);
  });

  test("refusals of a node that is still there are over ten minutes after their pause", () => {
    const cluster = { nodes: [nodeOf("a")] };
    expect(removed({ "eviction.uid-node-a": `${nowMs - 10 * minuteMs} 5000 x` }, cluster)).toEqual([]);
    expect(removed({ "eviction.uid-node-a": `${nowMs - 10 * minuteMs - 1} 5000 x` }, cluster)).toHaveLength(1);
  });

  test("a tick in which nothing is over writes nothing", () => {
    expect(stateHousekeeping.decide(snapshotOf({ state: { "collection.looked": "1" } }))).toEqual({
      commands: [],
      reasons: [],
    });
  });
});
