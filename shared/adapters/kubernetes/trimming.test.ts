import { describe, expect, test } from "vitest";
import type { Json } from "#api/core-v1/meta.ts";
import { trimmed } from "./trimming.ts";

const pod: { readonly [key: string]: Json } = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: "a",
    managedFields: [{ manager: "kubelet" }],
    annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", "karpenter.sh/do-not-disrupt": "true" },
  },
  spec: {
    futureField: { keep: true },
    containers: [{ name: "c", env: [{ name: "PASSWORD", value: "secret" }], resources: { requests: { cpu: "1" } } }],
    volumes: [
      { name: "v", configMap: { name: "m" } },
      { name: "w", persistentVolumeClaim: { claimName: "c" } },
    ],
  },
  status: {
    phase: "Running",
    containerStatuses: [{ name: "c", state: { running: {} }, allocatedResources: { cpu: "1" } }],
  },
};

describe("trimming", () => {
  test("keeps of a pod what scheduling reads, and fields that nobody knows yet", () => {
    expect(trimmed("Pod", pod)).toEqual({
      ...{ apiVersion: "v1", kind: "Pod" },
      metadata: { name: "a", annotations: { "karpenter.sh/do-not-disrupt": "true" } },
      spec: {
        futureField: { keep: true },
        containers: [{ name: "c", resources: { requests: { cpu: "1" } } }],
        volumes: [{ name: "v" }, { name: "w", persistentVolumeClaim: { claimName: "c" } }],
      },
      status: { phase: "Running", containerStatuses: [{ name: "c", allocatedResources: { cpu: "1" } }] },
    });
  });

  test("drops what a container is told, which may hold secrets", () => {
    expect(JSON.stringify(trimmed("Pod", pod))).not.toContain("secret");
  });

  test("makes two heartbeats of a node the same", () => {
    const node = (time: string) => ({
      ...{ apiVersion: "v1", kind: "Node", metadata: { name: "n" }, spec: {} },
      status: { conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: time }], images: [{ names: ["x"] }] },
    });
    expect(trimmed("Node", node("2026-01-31T12:00:00Z"))).toEqual(trimmed("Node", node("2026-01-31T12:05:00Z")));
  });

  test("does not stumble over an object of another form", () => {
    expect(trimmed("Pod", { metadata: null, spec: 1, status: [] })).toMatchObject({ spec: 1 });
  });
});
