import { expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { eagerPool, type NodeSketch, nodesWithPods } from "../../../test/support/disruption-objects.ts";
import {
  boundPod,
  instanceType,
  pendingPod,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import type { InstanceType } from "../instance-type.ts";
import type { ClusterView } from "../snapshot.ts";
import { candidates } from "./candidate.ts";
import { type Purpose, type Simulation, simulateWithout, simulationBase } from "./simulation.ts";

const four = instanceType("four", 4);
const eight = instanceType("eight", 8);

interface World extends Partial<ClusterView> {
  readonly sketches: Readonly<Record<string, NodeSketch>>;
  readonly types?: readonly InstanceType[];
}

function without(
  names: readonly string[],
  { sketches, types = [four, eight], ...cluster }: World,
  purpose: Purpose = "consolidation",
): Simulation {
  const made = nodesWithPods(sketches);
  const all = { ...made, pods: [...made.pods, ...(cluster.pods ?? [])] };
  const snapshot = snapshotOf({ nodePools: [eagerPool()], ...cluster, ...all }, types);
  const found = candidates(snapshot, testProvider, "graceful").candidates;
  const chosen = found.filter(({ node }) => names.includes(node.metadata.name));
  expect(chosen).toHaveLength(names.length);
  return simulateWithout(simulationBase(snapshot, testProvider, found, purpose), chosen);
}

const podsOf = (lists: readonly { readonly pods: readonly Pod[] }[]): readonly string[] =>
  lists.flatMap(({ pods }) => pods.map(({ metadata }) => metadata.name)).sort();

const spread = (topologyKey: string) => ({
  topologySpreadConstraints: [
    {
      topologyKey,
      maxSkew: 1,
      whenUnsatisfiable: "DoNotSchedule" as const,
      labelSelector: { matchLabels: { app: "web" } },
    },
  ],
});

test("pods that have room on the nodes that stay need no new node", () => {
  const sketches = { a: { type: four, pods: ["1", "1"] }, b: { type: four, pods: ["1"] } };
  const { replacements, placements, unplaced } = without(["a"], { sketches });
  expect(replacements).toEqual([]);
  expect(unplaced).toEqual([]);
  expect(placements.map(({ node, pods }) => [node.name, pods.length])).toEqual([["b", 2]]);
});

test("pods without room get one new node, which leaves the pods of nodes that stay alone", () => {
  const sketches = { a: { type: eight, pods: ["2", "1"] }, b: { type: four, pods: ["3"] } };
  const { replacements } = without(["a"], { sketches });
  expect(podsOf(replacements)).toEqual(["a-0", "a-1"]);
});

test("all of several nodes go at once", () => {
  const sketches = { a: { type: four, pods: ["1"] }, b: { type: four, pods: ["1"] }, c: { type: four, pods: ["1"] } };
  const { replacements, placements } = without(["a", "b"], { sketches });
  expect(replacements).toEqual([]);
  expect(podsOf(placements)).toEqual(["a-0", "b-0"]);
});

test("a pod that fits no node and no type has no place, in words", () => {
  const sketches = { a: { type: eight, pods: ["7"] }, b: { type: four } };
  const { unplaced } = without(["a"], { sketches, types: [four], nodePools: [eagerPool()] });
  expect(podsOf(unplaced)).toEqual(["a-0"]);
  expect(unplaced[0]?.message).not.toBe("");
});

test("a pod that could only go to a node that is not initialized yet has no place", () => {
  const sketches = {
    a: { type: four, pods: ["1"] },
    b: { type: four, conditions: ["Launched", "Registered"], labels: { "karpenter.sh/initialized": "false" } },
  };
  const { unplaced } = without(["a"], { sketches });
  expect(unplaced).toEqual([{ pods: [expect.anything()], message: "only b has room, which is not initialized yet" }]);
});

test("pods do not go to a node on which something happened within consolidateAfter, unless the node drifted", () => {
  const sketches = {
    a: { type: four, pods: ["1"] },
    b: { type: four, lastPodEventTime: "2026-01-01T11:59:30Z" },
  };
  const nodePools = [eagerPool("default", { consolidateAfter: "5m" })];
  expect(without(["a"], { sketches, nodePools }).replacements).toHaveLength(1);
  expect(without(["a"], { sketches, nodePools }, "drift").replacements).toEqual([]);
});

test("slip 14: a spread over hosts is judged by the hosts that are there, so that the node is deleted", () => {
  const web = (name: string, host: string) =>
    boundPod(name, host, { cpu: "500m" }, spread("kubernetes.io/hostname"), { labels: { app: "web" } });
  const sketches = {
    a: { type: four, pods: [web("one", "a")] },
    b: { type: four, pods: [web("two", "b")] },
    c: { type: four, pods: [web("three", "c")] },
  };
  const { replacements, placements } = without(["a"], { sketches });
  expect(replacements).toEqual([]);
  expect(podsOf(placements)).toEqual(["one"]);
});

test("slip 14: a preference that only a new node could meet does not keep an old one", () => {
  const picky = boundPod(
    "picky",
    "a",
    { cpu: "1" },
    {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: {
                matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: ["zone-c"] }],
              },
            },
          ],
        },
      },
    },
  );
  const sketches = { a: { type: four, pods: [picky] }, b: { type: four } };
  expect(without(["a"], { sketches }).replacements).toEqual([]);
});

test("pods that wait for a node anyway are not counted among those that the nodes leave", () => {
  const sketches = { a: { type: four, pods: ["1"] }, b: { type: four, pods: ["1"] } };
  const huge = pendingPod("huge", { cpu: "100" });
  const { unplaced, placements } = without(["a"], { sketches, pods: [huge] });
  expect(unplaced).toEqual([]);
  expect(podsOf(placements)).toEqual(["a-0"]);
});
