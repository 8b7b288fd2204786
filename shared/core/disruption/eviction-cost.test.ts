import { describe, expect, test } from "vitest";
import { daemonOwner, podOf } from "../../../test/support/lifecycle-samples.ts";
import { evictionCost, isEmpty, reschedulingCost } from "./eviction-cost.ts";

const withCost = (cost: string) =>
  podOf("p", "a", { annotations: { "controller.kubernetes.io/pod-deletion-cost": cost } });

describe("eviction cost", () => {
  test.each([
    ["no word", podOf("p", "a"), 1],
    ["deletion cost 2^27", withCost(String(2 ** 27)), 2],
    ["deletion cost −2^27", withCost(String(-(2 ** 27))), 0],
    ["an unreadable deletion cost", withCost("much"), 1],
    ["priority 2^25", podOf("p", "a", { spec: { priority: 2 ** 25 } }), 2],
    ["the highest of both", podOf("p", "a", { spec: { priority: 2_000_000_000 } }), 10],
    ["the lowest priority", podOf("p", "a", { spec: { priority: -2_147_483_648 } }), -10],
  ])("%s", (_, pod, cost) => {
    expect(evictionCost(pod)).toBe(cost);
  });

  test("a node's cost is 1 and what its movable pods cost; negative ones give no discount", () => {
    const negative = podOf("low", "a", { spec: { priority: -(2 ** 27) } });
    const daemon = podOf("daemon", "a", { ownerReferences: daemonOwner });
    expect(reschedulingCost([podOf("p", "a"), podOf("q", "a"), negative, daemon])).toBe(3);
  });

  test("a node is empty with daemons, finished pods and pods that do not matter, and not with one that does", () => {
    const daemon = podOf("daemon", "a", { ownerReferences: daemonOwner });
    const done = podOf("done", "a", { status: { phase: "Succeeded" } });
    const low = podOf("low", "a", { spec: { priority: -(2 ** 26) } });
    expect(isEmpty([daemon, done, low])).toBe(true);
    expect(isEmpty([daemon, podOf("p", "a")])).toBe(false);
  });
});
