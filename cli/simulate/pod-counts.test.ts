import { expect, test } from "vitest";
import type { Pod, PodStatus } from "#api/core-v1/pod.ts";
import { podCounts, podCountsText } from "./pod-counts.ts";

const pod = (phase: PodStatus["phase"], nodeName?: string, deletionTimestamp?: string): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }) },
  spec: { containers: [], ...(nodeName === undefined ? {} : { nodeName }) },
  status: phase === undefined ? {} : { phase },
});

test("pods are counted by what they are doing; finished ones want nothing", () => {
  const pods = [
    pod("Pending"),
    pod(undefined),
    pod("Pending", "n"),
    pod("Running", "n"),
    pod("Running", "n", "2024-08-14T10:00:00Z"),
    pod("Succeeded", "n"),
    pod("Failed", "n"),
  ];
  expect(podCounts(pods)).toEqual({ pending: 2, starting: 1, running: 1, ending: 1 });
  expect(podCountsText(podCounts(pods))).toBe("2 pending, 1 starting, 1 running, 1 ending");
  expect(podCountsText(podCounts([]))).toBe("none");
});
