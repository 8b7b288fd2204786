import { describe, expect, test } from "vitest";
import {
  conditionsOf,
  dedicated,
  fresh,
  joiningStages,
  launchedClaim,
  notReady,
  startup,
  ticked,
  unregistered,
} from "../../../test/support/joining-world.ts";
import { claimOf, nodeOf, nowMs, provider, snapshotOf, statusOf } from "../../../test/support/lifecycle-samples.ts";
import { SmallWorld } from "../../../test/support/small-world.ts";
import { metadataSync } from "./metadata-sync.ts";
import { registration } from "./registration.ts";

describe("registration", () => {
  test("one tick gives the node its claim's labels, annotations, owner, finalizer and taints, and registers both", async () => {
    const claim = launchedClaim({
      labels: { team: "blue", "sample.dev/sampleclass": "default" },
      annotations: { note: "kept", "outrigger.dev/launch-attempt": "1" },
      spec: { taints: [dedicated], startupTaints: [startup] },
    });
    const { node, claim: end } = await ticked(new SmallWorld(nowMs, { nodeClaims: [claim], nodes: [fresh("a")] }));
    expect(node?.metadata.labels).toEqual({
      "kubernetes.io/os": "linux",
      team: "blue",
      "sample.dev/sampleclass": "default",
      "karpenter.sh/registered": "true",
    });
    expect(node?.metadata.annotations).toEqual({ note: "kept" });
    expect(node?.metadata.finalizers).toEqual(["karpenter.sh/termination"]);
    expect(node?.metadata.ownerReferences).toEqual([
      { apiVersion: "karpenter.sh/v1", kind: "NodeClaim", name: "a", uid: "uid-a", blockOwnerDeletion: true },
    ]);
    expect(node?.spec.taints).toEqual([dedicated, startup]);
    expect(conditionsOf(end)).toEqual({
      Launched: "True Launched",
      Registered: "True Registered",
      Initialized: "Unknown NodeNotReady",
      Ready: "Unknown ReconcilingDependents",
    });
    expect(end?.status?.nodeName).toBe("node-a");
  });

  test("without a Node the claim says so, and a quiet second tick writes nothing", async () => {
    const world = new SmallWorld(nowMs, { nodeClaims: [launchedClaim()] });
    const { claim } = await ticked(world);
    expect(conditionsOf(claim).Registered).toBe("Unknown NodeNotFound");
    await world.tick(joiningStages);
    expect(world.steps).toEqual([]);
  });

  test("two Nodes under one provider ID are refused by name, and the claim recovers when one is left", async () => {
    const twin = { ...fresh("a"), metadata: { ...fresh("a").metadata, name: "twin", uid: "uid-twin" } };
    const world = new SmallWorld(nowMs, { nodeClaims: [launchedClaim()], nodes: [fresh("a"), twin] });
    const { claim } = await ticked(world);
    expect(conditionsOf(claim).Registered).toBe("False MultipleNodesFound");
    world.remove("Node", "twin");
    expect(conditionsOf((await ticked(world)).claim).Registered).toBe("True Registered");
  });
});

describe("taints of a joining node", () => {
  test("a startup taint that its agent took away before we saw the node does not come back", async () => {
    const claim = launchedClaim({ spec: { startupTaints: [startup] } });
    const { node } = await ticked(
      new SmallWorld(nowMs, { nodeClaims: [claim], nodes: [fresh("a", [unregistered], "True")] }),
    );
    expect(node?.spec.taints).toEqual([]);
  });

  test("a node that booted without the unregistered taint gets all taints, registers, and users are warned", async () => {
    const claim = launchedClaim({ spec: { startupTaints: [startup] } });
    const snapshot = snapshotOf({ nodeClaims: [claim], nodes: [nodeOf("a", { labels: {}, spec: { taints: [] } })] });
    const world = new SmallWorld(nowMs, snapshot.cluster);
    const { node } = await ticked(world);
    expect(node?.spec.taints).toEqual([startup]);
    const joined = await new SmallWorld(nowMs, snapshot.cluster).tick([metadataSync(provider)]);
    expect(registration(provider).decide(joined).reasons[0]?.event?.reason).toBe("UnregisteredTaintMissing");
  });

  test("a node that asks for no taints keeps its own and loses the unregistered taint only", async () => {
    const node = fresh("a", [unregistered, notReady]);
    const labels = { "karpenter.sh/do-not-sync-taints": "true" };
    const asking = { ...node, metadata: { ...node.metadata, labels } };
    const claim = launchedClaim({ spec: { taints: [dedicated], startupTaints: [startup] } });
    const end = await ticked(new SmallWorld(nowMs, { nodeClaims: [claim], nodes: [asking] }));
    expect(end.node?.spec.taints).toEqual([notReady]);
  });

  test("when the node changed meanwhile its taint stays and the claim is not registered; the next tick does it", async () => {
    const world = new SmallWorld(nowMs, { nodeClaims: [launchedClaim()], nodes: [fresh("a")] });
    world.fault = (command) => (command.kind === "taint-node" ? "conflict" : undefined);
    expect(conditionsOf((await ticked(world)).claim).Registered).toBe("Unknown NodeNotSynced");
    world.fault = () => undefined;
    const { claim, node } = await ticked(world);
    expect(conditionsOf(claim).Registered).toBe("True Registered");
    expect(node?.spec.taints).toEqual([]);
  });

  test("after registration a removed startup taint or a changed label is not put back", async () => {
    const claim = claimOf("a", {
      status: statusOf("a", "registered"),
      labels: { team: "blue" },
      spec: { startupTaints: [startup] },
    });
    const world = new SmallWorld(nowMs, {
      nodeClaims: [claim],
      nodes: [nodeOf("a", { labels: { team: "red", "karpenter.sh/registered": "true" } })],
    });
    const { node } = await ticked(world);
    expect(node?.spec.taints).toBeUndefined();
    expect(node?.metadata.labels?.team).toBe("red");
  });
});

test("a node that the provider holds back keeps its taint and is told, and is released when nothing stands in the way", () => {
  const snapshot = snapshotOf({ nodeClaims: [launchedClaim()], nodes: [fresh("a")] });
  const held = registration({ ...provider, registrationObstacle: () => "its place is not known" }).decide(snapshot);
  expect(held.commands).toEqual([]);
  expect(held.reasons).toMatchObject([{ code: "claim-waiting", message: expect.stringContaining("its place is not") }]);
  const [patch] = metadataSync(provider).decide(snapshot).commands;
  if (patch?.kind !== "patch-metadata") throw new Error("nothing to sync");
  const node = fresh("a");
  const { labels = {}, finalizers = [], ownerReferences = [] } = patch;
  const present = Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const synced = {
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...present }, finalizers, ownerReferences },
  };
  const free = registration({ ...provider, registrationObstacle: () => undefined });
  const { commands } = free.decide({ ...snapshot, cluster: { ...snapshot.cluster, nodes: [synced] } });
  expect(commands).toMatchObject([{ kind: "taint-node" }]);
});
