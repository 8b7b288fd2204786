import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { PlacementReasons, unplacedLines } from "./unplaced.ts";

const pod = (name: string, spec: Partial<Pod["spec"]> = {}, status: Pod["status"] = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default" },
  spec: { containers: [], ...spec },
  status,
});
const reasonFor = (name: string, message: string) =>
  ({ about: { kind: "Pod", namespace: "default", name }, code: "pod-unschedulable", message }) as const;

describe("pods without a place", () => {
  test("are those that want a node and have none, with the last thing said of them", () => {
    const reasons = new PlacementReasons();
    reasons.hear([reasonFor("a", "first"), reasonFor("b", "other")]);
    reasons.hear([reasonFor("a", "last")]);
    expect(
      reasons.unplaced([
        pod("b", { nodeName: "n" }),
        pod("a"),
        pod("finished", {}, { phase: "Succeeded" }),
        pod("volcanic", { schedulerName: "volcano" }),
        pod("gated", { schedulingGates: [{ name: "g" }] }),
        pod(
          "told",
          {},
          { conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }] },
        ),
        pod("unseen"),
      ]),
    ).toEqual([
      { pod: "default/a", reason: "last" },
      { pod: "default/gated", reason: "it waits for its scheduling gate g" },
      { pod: "default/told", reason: "0/3 nodes are available" },
      { pod: "default/unseen", reason: "nobody has looked at it yet" },
      { pod: "default/volcanic", reason: "left to scheduler volcano, which does not run here" },
    ]);
  });

  test("that got one and are refused there hear what the scheduler says", () => {
    const reasons = new PlacementReasons();
    reasons.hear([{ ...reasonFor("a", "should schedule on node n"), code: "pod-placed-on-node" }]);
    const refused = {
      type: "PodScheduled",
      status: "False" as const,
      message: "0/1 nodes are available: 1 node(s) had no room",
    };
    expect(reasons.unplaced([pod("a", {}, { conditions: [refused] })])).toEqual([
      {
        pod: "default/a",
        reason: "should schedule on node n, but the scheduler refuses: 0/1 nodes are available: 1 node(s) had no room",
      },
    ]);
  });

  test("that got one hear of it once, until they lose it", () => {
    const reasons = new PlacementReasons();
    const place = { ...reasonFor("a", "should schedule on node n"), code: "pod-placed-on-node" } as const;
    expect(reasons.hear([place])).toEqual([place]);
    expect(reasons.hear([{ ...place, message: "should schedule on node m" }])).toEqual([]);
    expect(reasons.hear([reasonFor("a", "no room any more")])).toHaveLength(1);
    expect(reasons.hear([place])).toEqual([place]);
  });

  test("are told by reason", () => {
    expect(
      unplacedLines([
        { pod: "d/a", reason: "d/a asks for 70 cpu" },
        { pod: "d/b", reason: "d/b asks for 70 cpu" },
        { pod: "d/c", reason: "no pool tolerated" },
      ]),
    ).toEqual(["Pod d/a and 1 more: d/a asks for 70 cpu", "Pod d/c: no pool tolerated"]);
  });

  test("with too many reasons the rest is counted", () => {
    const many = Array.from({ length: 30 }, (_, i) => ({
      pod: `d/${i}`,
      reason: `reason ${String.fromCharCode(97 + i)}`,
    }));
    const lines = unplacedLines(many);
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toBe("… and 10 more reasons (--json has all)");
  });
});
