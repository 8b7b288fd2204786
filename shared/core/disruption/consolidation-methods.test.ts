import { expect, test } from "vitest";
import { eagerPool, nodesWithPods } from "../../../test/support/disruption-objects.ts";
import { instanceType, snapshotOf, testProvider } from "../../../test/support/scheduling-objects.ts";
import type { Decision } from "../decision.ts";
import type { InstanceType } from "../instance-type.ts";
import type { ClusterView, Snapshot } from "../snapshot.ts";
import { disruption } from "./disruption.ts";
import { validationDelayMs } from "./proposal.ts";

const onDemand = (name: string, cpu: number, pricePerHour: number): InstanceType =>
  instanceType(name, cpu, {
    offerings: [{ zone: "zone-a", capacityType: "on-demand", pricePerHour, available: true }],
  });
const small = onDemand("small", 2, 0.1);
const large = onDemand("large", 8, 0.4);
const stage = disruption(testProvider);

function stateAfter({ commands }: Decision, before: ClusterView["state"]): ClusterView["state"] {
  const patches = commands.flatMap((command) => (command.kind === "patch-state" ? Object.entries(command.data) : []));
  const kept = new Map(Object.entries(before));
  for (const [key, value] of patches) {
    if (value === null) kept.delete(key);
    else kept.set(key, value);
  }
  return Object.fromEntries(kept);
}

function later(
  snapshot: Snapshot<readonly InstanceType[]>,
  state: ClusterView["state"],
  change: Partial<ClusterView> = {},
) {
  return {
    ...snapshot,
    nowMs: snapshot.nowMs + validationDelayMs,
    cluster: { ...snapshot.cluster, state, ...change },
  };
}

const kinds = ({ commands }: Decision) => commands.map(({ kind }) => kind);

test("a node that can go is proposed, and marked 15 s later if it still can", () => {
  const made = nodesWithPods({ a: { type: large, pods: ["1"] }, b: { type: large, pods: ["6"] } });
  const first = snapshotOf({ nodePools: [eagerPool()], ...made }, [small, large]);
  const proposed = stage.decide(first);
  expect(kinds(proposed)).toEqual(["patch-state"]);
  const second = stage.decide(later(first, stateAfter(proposed, {})));
  const tainted = second.commands.flatMap((command) => (command.kind === "taint-node" ? [command.target.name] : []));
  expect(tainted).toEqual(["a"]);
  expect(second.reasons.map(({ message }) => message).join()).toContain("1 pod moves");
});

test("a proposal that does not hold any more is dropped", () => {
  const sketches = { a: { type: large, pods: ["1"] }, b: { type: large, pods: ["6"] } };
  const first = snapshotOf({ nodePools: [eagerPool()], ...nodesWithPods(sketches) }, [large]);
  const proposed = stage.decide(first);
  const full = nodesWithPods({ ...sketches, a: { type: large, pods: ["1", "6500m"] } });
  const second = stage.decide(later(first, stateAfter(proposed, {}), full));
  expect(kinds(second)).not.toContain("taint-node");
});

test("several nodes are replaced by one: the claim is made first", () => {
  const made = nodesWithPods({ a: { type: large, pods: ["500m"] }, b: { type: large, pods: ["500m"] } });
  const first = snapshotOf({ nodePools: [eagerPool()], ...made }, [small, large]);
  const proposed = stage.decide(first);
  const second = stage.decide(later(first, stateAfter(proposed, {})));
  expect(kinds(second)).toContain("create-node-claim");
  expect(kinds(second)).not.toContain("taint-node");
});
