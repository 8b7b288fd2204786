import { expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { unplacedPods } from "../../../test/support/pod-rules.ts";
import { node, pendingPod, snapshotOf, testProvider } from "../../../test/support/scheduling-objects.ts";
import { planProvisioning } from "../provisioning/plan.ts";

/** The oldest first, in turns of two kinds. */
function inTurns(count: number): readonly Pod[] {
  return Array.from({ length: count }, (_, i) =>
    pendingPod(`p${i}`, { cpu: "1" }, i % 2 === 0 ? {} : { tolerations: [{ key: "other", operator: "Exists" }] }, {
      creationTimestamp: new Date(Date.UTC(2026, 0, 1, 11, i)).toISOString(),
    }),
  );
}

test("where no node can be made, of equally large pods the oldest have a place, whatever else they are", () => {
  const nodes = [node("n", { cpu: "4", memory: "16Gi", pods: "20" })];
  const pods = [...inTurns(8)].reverse();
  const plan = planProvisioning(snapshotOf({ pods, nodes, nodePools: [] }), testProvider);
  expect([...unplacedPods(plan)].sort()).toEqual(["p4", "p5", "p6", "p7"]);
});
