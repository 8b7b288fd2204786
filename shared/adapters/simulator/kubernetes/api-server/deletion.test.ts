import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { deletionOf, mayGo } from "./deletion.ts";

const nowMs = Date.parse("2026-01-01T00:00:00Z");

function pod(spec: Partial<Pod["spec"]>, phase: "Pending" | "Running" | "Succeeded" = "Running"): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", uid: "u", generation: 1 },
    spec: { containers: [], ...spec },
    status: { phase },
  };
}

describe("deletionOf", () => {
  test.each([
    ["a pod without node", pod({}), {}],
    ["a pod that has ended", pod({ nodeName: "n" }, "Succeeded"), {}],
    ["a bound pod deleted by force", pod({ nodeName: "n" }), { gracePeriodSeconds: 0 }],
    ["a bound pod without grace of its own", pod({ nodeName: "n", terminationGracePeriodSeconds: 0 }), {}],
  ])("%s is gone at once", (_, object, options) => {
    expect(deletionOf(object, options, nowMs)).toEqual({ kind: "gone" });
  });

  test.each([
    ["thirty seconds by default", {}, {}, 30, "2026-01-01T00:00:30Z"],
    ["the pod's own", { terminationGracePeriodSeconds: 90 }, {}, 90, "2026-01-01T00:01:30Z"],
    [
      "the caller's before the pod's",
      { terminationGracePeriodSeconds: 90 },
      { gracePeriodSeconds: 5 },
      5,
      "2026-01-01T00:00:05Z",
    ],
  ])("a bound pod's grace period is %s, and its deletion time lies at its end", (_, spec, options, seconds, time) => {
    const deletion = deletionOf(pod({ nodeName: "n", ...spec }), options, nowMs);
    expect(deletion).toMatchObject({
      kind: "waits",
      object: { metadata: { deletionGracePeriodSeconds: seconds, deletionTimestamp: time, generation: 2 } },
    });
  });

  test("a pod with a finalizer outlives its grace period until the finalizer goes", () => {
    const held = pod({ nodeName: "n" });
    const withFinalizer = { ...held, metadata: { ...held.metadata, finalizers: ["example.com/hold"] } };
    const deletion = deletionOf(withFinalizer, { gracePeriodSeconds: 0 }, nowMs);
    expect(deletion.kind).toBe("waits");
    if (deletion.kind !== "waits") return;
    expect(mayGo(deletion.object)).toBe(false);
    const { finalizers: _finalizers, ...metadata } = deletion.object.metadata;
    expect(mayGo({ ...deletion.object, metadata })).toBe(true);
  });
});
