import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { pendingPod } from "../../../../test/support/scheduling-objects.ts";
import { podClasses } from "./pod-classes.ts";

const context = { preferencePolicy: "Respect", preferNoScheduleTaints: false } as const;
const names = (...pods: Pod[]): readonly (readonly string[])[] =>
  podClasses(pods, context).map((one) => one.pods.map(({ metadata }) => metadata.name));

describe("pods of one class", () => {
  test("ask for the same, however it is written", () => {
    const one = pendingPod("one", { cpu: "1", memory: "1Gi" }, { nodeSelector: { a: "1", b: "2" } });
    const other = pendingPod("other", { memory: "1024Mi", cpu: "1000m" }, { nodeSelector: { b: "2", a: "1" } });
    expect(names(one, other)).toEqual([["one", "other"]]);
  });

  test("may differ in what scheduling does not read", () => {
    const labelled = pendingPod("labelled", { cpu: "1" }, { priority: 5 }, { labels: { app: "x" } });
    expect(names(pendingPod("bare", { cpu: "1" }), labelled)).toEqual([["bare", "labelled"]]);
  });

  test("do not differ in requests, selectors or tolerations", () => {
    const base = pendingPod("base", { cpu: "1" });
    const tolerant = pendingPod("tolerant", { cpu: "1" }, { tolerations: [{ operator: "Exists" }] });
    const selecting = pendingPod("selecting", { cpu: "1" }, { nodeSelector: { a: "b" } });
    expect(names(base, tolerant, selecting)).toHaveLength(3);
  });

  test("come oldest first", () => {
    const young = pendingPod("young", { cpu: "1" }, {}, { creationTimestamp: "2026-01-01T11:59:30Z" });
    expect(names(young, pendingPod("old", { cpu: "1" }))).toEqual([["old", "young"]]);
  });
});

test("classes come by CPU, then memory, then age", () => {
  const old = { creationTimestamp: "2026-01-01T11:00:00Z" };
  expect(
    names(
      pendingPod("small", { cpu: "1", memory: "9Gi" }),
      pendingPod("lean", { cpu: "2", memory: "1Gi" }),
      pendingPod("rich", { cpu: "2", memory: "2Gi" }),
      pendingPod("rich-and-old", { cpu: "2", memory: "2Gi" }, { nodeSelector: { a: "b" } }, old),
    ),
  ).toEqual([["rich-and-old"], ["rich"], ["lean"], ["small"]]);
});
