import { expect, test } from "vitest";
import { HostTally } from "./host-rules.ts";

const counts = { size: 2 };

test("pods that keep away from each other come one to a host, in whatever order", () => {
  const tally = new HostTally(counts);
  tally.clear();
  const alone = { adds: [0], most: [{ count: 0, pods: 1 }] };
  expect(tally.room(alone)).toBe(1);
  tally.add(alone, 1);
  expect(tally.room(alone)).toBe(0);
  expect(tally.room({ adds: [1], most: [] })).toBeGreaterThan(1_000);
});

test("what one of them allows beside it holds for who comes later", () => {
  const tally = new HostTally(counts);
  tally.clear();
  tally.add({ adds: [], most: [{ count: 0, pods: 2 }] }, 1);
  const counted = { adds: [0], most: [] };
  expect(tally.room(counted)).toBe(2);
});
