import { describe, expect, test } from "vitest";
import type { Load } from "./bin-lane.ts";
import { HostTally } from "./host-rules.ts";
import { Waiting } from "./waiting.ts";

/** So many pods that ask for so much cpu and memory; `hostMost`: no more than so many of them on a host. */
function load(count: number, cpu: number, memory: number, hostMost?: number): Load {
  const step = { requests: Float64Array.of(cpu, memory) } as unknown as Load["kind"]["step"];
  const host = hostMost === undefined ? undefined : { adds: [0], most: [{ count: 0, pods: hostMost }] };
  const breadth = { types: 9, zones: 3 };
  return { count, kind: { step, host, pods: [], isFree: true, otherLanes: new Set(), ...breadth } };
}

function filled(loads: readonly Load[], way: "in order" | "evenly", room: readonly number[]) {
  const waiting = new Waiting(loads, new HostTally({ size: 1 }));
  const used = new Float64Array(2);
  waiting.fill(Float64Array.from(room), used, way);
  waiting.keep();
  return { counts: waiting.take().map(({ count }) => count), used: [...used], waiting };
}

describe("filling a machine with pods that wait", () => {
  const both = [load(20, 2, 1), load(20, 1, 2)];

  test("in order takes as many of the first as fit", () => {
    expect(filled(both, "in order", [12, 12])).toMatchObject({ counts: [6], used: [12, 6] });
  });

  test("evenly leaves no resource that the others cannot use", () => {
    expect(filled(both, "evenly", [12, 12])).toMatchObject({ counts: [4, 4], used: [12, 12] });
  });

  test("keeps what one host may hold", () => {
    expect(filled([load(20, 1, 1, 2), load(3, 1, 1)], "in order", [12, 12]).counts).toEqual([2, 3]);
  });

  test("goes on with the others until nobody waits", () => {
    const { waiting } = filled([load(3, 1, 1)], "evenly", [2, 2]);
    expect(waiting.none).toBe(false);
    waiting.fill(Float64Array.of(2, 2), new Float64Array(2), "evenly");
    waiting.keep();
    expect(waiting.take().map(({ count }) => count)).toEqual([1]);
    expect(waiting.none).toBe(true);
  });
});
