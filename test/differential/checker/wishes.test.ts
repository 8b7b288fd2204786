import { describe, expect, test } from "vitest";
import type { AnswerClaim, Problem } from "../../../cli/solve/problem.ts";
import { problemOf } from "../../../cli/solve/read-problem.ts";
import { placesOf, type Wishes, wishesMet } from "./wishes.ts";

const zoneKey = "topology.kubernetes.io/zone";
const own = (topologyKey: string) => ({ topologyKey, labelSelector: { matchLabels: { app: "web" } } });
const inZoneA = { matchExpressions: [{ key: zoneKey, operator: "In", values: ["a"] }] };

function problem(affinity: object, count: number): Problem {
  return problemOf({
    nodePools: [],
    instanceTypes: [{ name: "size-2", capacity: { cpu: "2" }, overhead: {}, offerings: [] }],
    nodes: [{ name: "old", zone: "b", capacity: { cpu: "1" } }],
    pods: Array.from({ length: count }, (_, i) => ({
      metadata: { name: `p${i}`, labels: { app: "web" } },
      spec: { containers: [{ name: "c" }], affinity },
    })),
  });
}

/** A claim in each of these zones, with so many of the pods. */
function metBy(of: Problem, inZones: readonly (readonly [string, number])[], onNode = 0): Wishes {
  const names = of.pods.map(({ metadata }) => `default/${metadata.name}`);
  const nodes = [{ name: "old", pods: names.splice(0, onNode) }];
  const claims = inZones.map(
    ([zone, count]): AnswerClaim => ({
      nodePool: "default",
      requirements: [],
      instanceTypes: ["size-2"],
      cheapest: { instanceType: "size-2", zone, capacityType: "spot", price: 1 },
      requests: {},
      pods: names.splice(0, count),
    }),
  );
  return wishesMet(of, placesOf(of, claims, nodes));
}

describe("of the preferences that pods with a place state", () => {
  const node = {
    nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 7, preference: inZoneA }] },
  };
  const wish = (weight: number, topologyKey: string) => ({ weight, podAffinityTerm: own(topologyKey) });

  test("those about nodes are met where the labels match, on nodes and on claims", () => {
    expect(
      metBy(
        problem(node, 3),
        [
          ["a", 1],
          ["c", 1],
        ],
        1,
      ),
    ).toEqual({ met: 7, stated: 21 });
  });

  test("those for company need another pod there", () => {
    const near = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [wish(5, zoneKey)] } };
    expect(
      metBy(problem(near, 3), [
        ["a", 2],
        ["c", 1],
      ]),
    ).toEqual({ met: 10, stated: 15 });
    expect(metBy(problem(near, 2), [["b", 1]], 1)).toEqual({ met: 10, stated: 10 });
  });

  test("those to be apart are met where no other pod is, by the host and by the zone", () => {
    const terms = [wish(1, "kubernetes.io/hostname"), wish(10, zoneKey)];
    const apart = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } };
    expect(
      metBy(problem(apart, 4), [
        ["a", 1],
        ["a", 1],
        ["c", 2],
      ]),
    ).toEqual({ met: 2, stated: 44 });
    expect(metBy(problem(apart, 1), [["a", 1]])).toEqual({ met: 11, stated: 11 });
  });

  test("pods without a place do not count", () => {
    expect(metBy(problem(node, 2), [])).toEqual({ met: 0, stated: 0 });
  });
});
