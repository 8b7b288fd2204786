import { describe, expect, test } from "vitest";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import type { Command } from "#core/command.ts";
import type { Instance } from "#core/instance.ts";
import type { Outcome, Step } from "#core/outcome.ts";
import { defaultSettings } from "#core/settings.ts";
import { emptyCluster, type Snapshot } from "#core/snapshot.ts";
import { fold } from "./fold.ts";

const claim = (name: string): NodeClaim => ({
  apiVersion: "karpenter.sh/v1",
  kind: "NodeClaim",
  metadata: { name, uid: `uid-${name}` },
  spec: { requirements: [], nodeClassRef: { group: "g", kind: "K", name: "n" } },
});
const instance = (id: string): Instance => ({
  id,
  providerID: `aws:///z/${id}`,
  state: "running",
  instanceType: "t",
  zone: "z",
  capacityType: "spot",
  launchedAtMs: 0,
  tags: {},
});
const empty: Snapshot = {
  nowMs: 0,
  seed: 1,
  decisionId: "d",
  settings: defaultSettings,
  cluster: { ...emptyCluster, nodeClaims: [claim("b")], state: { kept: "1", old: "2" } },
  cloud: { instances: [instance("i-2")], incomplete: [], view: undefined },
  steps: [],
};
const step = (command: Command, outcome: Outcome): Step => ({ stage: "s", command, outcome });

describe("folding outcomes into the snapshot", () => {
  test("a created claim is in its place in the sorted list, and the snapshot before is untouched", () => {
    const before = JSON.stringify(empty);
    const made = claim("a");
    const after = fold(empty, [step({ kind: "create-node-claim", nodeClaim: made }, { kind: "done", object: made })]);
    expect(after.cluster.nodeClaims.map((c) => c.metadata.name)).toEqual(["a", "b"]);
    expect(JSON.stringify(empty)).toBe(before);
  });

  test("a deletion that leaves the object with a deletion time replaces it; one that leaves nothing removes it", () => {
    const command: Command = { kind: "delete-object", target: { kind: "NodeClaim", name: "b" } };
    const leaving = { ...claim("b"), metadata: { name: "b", deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(fold(empty, [step(command, { kind: "done", object: leaving })]).cluster.nodeClaims).toEqual([leaving]);
    expect(fold(empty, [step(command, { kind: "done" })]).cluster.nodeClaims).toEqual([]);
  });

  test("a failed command changes nothing but is among the steps", () => {
    const failed = step(
      { kind: "delete-object", target: { kind: "NodeClaim", name: "b" } },
      { kind: "failed", fault: { kind: "conflict", code: "409", message: "" } },
    );
    const after = fold(empty, [failed]);
    expect(after.cluster.nodeClaims).toEqual(empty.cluster.nodeClaims);
    expect(after.steps).toEqual([failed]);
  });

  test("state keys are set and removed one by one", () => {
    const after = fold(empty, [
      step({ kind: "patch-state", data: { new: "3" } }, { kind: "done" }),
      step({ kind: "patch-state", data: { old: null } }, { kind: "done" }),
    ]);
    expect(after.cluster.state).toEqual({ kept: "1", new: "3" });
  });

  test("launched instances join the list, terminated ones take their new state or leave", () => {
    const launch: Command = {
      kind: "launch-instance",
      nodeClaim: "b",
      nodeClaimUid: "u",
      attempt: 1,
      token: "u-1",
      capacityType: "spot",
      options: [],
      tags: {},
    };
    const after = fold(empty, [
      step(launch, { kind: "done", instance: instance("i-1") }),
      step({ kind: "terminate-instance", instanceId: "i-2" }, { kind: "done" }),
    ]);
    expect(after.cloud.instances.map((i) => i.id)).toEqual(["i-1"]);
  });

  test("an eviction without an object leaves the pod in view", () => {
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "n" }, spec: { containers: [] } };
    const withPod = { ...empty, cluster: { ...empty.cluster, pods: [pod] } };
    const evict: Command = { kind: "evict-pod", target: { kind: "Pod", name: "p", namespace: "n" } };
    expect(fold(withPod, [step(evict, { kind: "done" })]).cluster.pods).toEqual([pod]);
  });
});
