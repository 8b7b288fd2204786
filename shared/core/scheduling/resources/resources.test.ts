import { describe, expect, test } from "vitest";
import type { Container, PodSpec } from "#api/core-v1/pod.ts";
import { excess, podRequests, resourceListOf, resourcesOf } from "./resources.ts";

const container = (cpu: string, memory = "0", more: Partial<Container> = {}): Container => ({
  name: `c${cpu}`,
  resources: { requests: { cpu, memory } },
  ...more,
});
const sidecar = (cpu: string): Container => container(cpu, "0", { restartPolicy: "Always", name: `s${cpu}` });
const cpuOf = (spec: Partial<PodSpec>): number | undefined => podRequests({ containers: [], ...spec }).cpu;

describe("what a pod requests", () => {
  test("containers add up, and the pod itself counts", () => {
    const spec = { containers: [container("500m", "1Gi"), container("1", "512Mi")] };
    expect(podRequests(spec)).toEqual({ cpu: 1500, memory: 1610612736, pods: 1 });
  });

  test("a large init container counts instead of the containers", () => {
    expect(cpuOf({ containers: [container("1")], initContainers: [container("3"), container("2")] })).toBe(3000);
  });

  test("sidecars run beside the containers", () => {
    expect(cpuOf({ containers: [container("1")], initContainers: [sidecar("500m")] })).toBe(1500);
  });

  test("an init container runs beside the sidecars started before it, not those after", () => {
    const initContainers = [sidecar("1"), container("4"), sidecar("2")];
    expect(cpuOf({ containers: [container("1")], initContainers })).toBe(5000);
  });

  test("pod-level requests stand in for the sum, overhead comes on top", () => {
    const spec = {
      containers: [container("1", "1Gi")],
      resources: { requests: { cpu: "3" } },
      overhead: { cpu: "250m", memory: "1Mi" },
    };
    expect(podRequests(spec)).toEqual({ cpu: 3250, memory: 1074790400, pods: 1 });
  });

  test("a container that is being resized downwards still holds what it was given", () => {
    const spec = { containers: [{ ...container("1"), name: "main" }] };
    expect(podRequests(spec, { containerStatuses: [{ name: "main", allocatedResources: { cpu: "2" } }] }).cpu).toBe(
      2000,
    );
  });

  test("fractions round up for requests and down for capacity", () => {
    expect(resourcesOf({ cpu: "1.5m", memory: "1500m" }, "up")).toEqual({ cpu: 2, memory: 2 });
    expect(resourcesOf({ cpu: "1.5m", memory: "1500m" }, "down")).toEqual({ cpu: 1, memory: 1 });
  });
});

test("amounts are written in their canonical form, by name", () => {
  expect(resourceListOf({ pods: 3, memory: 2 ** 32, cpu: 3500 })).toEqual({ cpu: "3500m", memory: "4Gi", pods: "3" });
});

test("an excess is never negative", () => {
  expect(excess({ cpu: 100, memory: 50 }, { cpu: 300, memory: 20 })).toEqual({ cpu: 0, memory: 30 });
});
