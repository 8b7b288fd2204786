import { expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { watchPods } from "./pod-watch.ts";

const pending: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers: [] } };

test("counts are told half a second after a change, then three seconds apart, and only when they are others", async () => {
  const clock = new VirtualClock(0);
  const pods: Pod[] = [];
  let changed: (change: { object: Pod }) => void = () => {};
  const told: string[] = [];
  const source = {
    list: () => pods,
    listen: (listener: (change: { object: Pod }) => void) => {
      changed = listener;
    },
  };
  watchPods(source, clock, (text) => told.push(`${clock.nowMs()} ${text}`));
  const add = (): void => {
    pods.push(pending);
    changed({ object: pending });
  };
  clock.at(1_000, add);
  clock.at(1_100, add);
  clock.at(2_000, add);
  clock.at(2_500, add);
  clock.at(9_000, () => changed({ object: pending }));
  clock.at(9_900, add);
  await clock.runUntil(20_000);
  expect(told).toEqual(["1500 2 pending", "4500 4 pending", "10400 5 pending"]);
});
