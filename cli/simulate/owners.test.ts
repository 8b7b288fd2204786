import { expect, test } from "vitest";
import type { KubeObject } from "#api/core-v1/meta.ts";
import { aPod, KubernetesWorld, readyNode, workload } from "../../test/support/simulated-kubernetes.ts";
import { withOwners } from "./owners.ts";

interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

function owned(name: string, owner: Owner, labels: Readonly<Record<string, string>>, created = "2025-12-31T00:00:00Z") {
  const pod = aPod(name, { labels, nodeName: "n" }) as KubeObject;
  const ownerReferences = [{ apiVersion: "apps/v1", controller: true, ...owner }];
  return { ...pod, metadata: { ...pod.metadata, creationTimestamp: created, ownerReferences } };
}

async function podsAfter(objects: readonly object[]): Promise<readonly string[]> {
  const world = new KubernetesWorld();
  world.load(readyNode("n"), ...withOwners(objects as readonly KubeObject[]).objects);
  await world.runFor(60);
  return world.pods().map(({ metadata }) => metadata.name);
}

const set = { kind: "ReplicaSet", name: "web-5d9", uid: "set" };
const labels = { app: "web", "pod-template-hash": "5d9" };
const deployment = (replicas: number) => workload("Deployment", "web", { replicas });

test("a Deployment keeps its pods although their ReplicaSet is not among the manifests", async () => {
  const pods = [owned("web-5d9-a", set, labels), owned("web-5d9-b", set, labels)];
  expect(await podsAfter([deployment(2), ...pods])).toEqual(["web-5d9-a", "web-5d9-b"]);
  expect(await podsAfter([deployment(3), ...pods])).toHaveLength(3);
  expect(withOwners([deployment(2) as KubeObject, ...pods]).notes).toEqual([
    "ReplicaSet/web-5d9 of Deployment/web is not among the manifests: it is made for its 2 pods",
  ]);
});

test("of two ReplicaSets the one of the younger pods is the present one: a rollout goes on", async () => {
  const old = { kind: "ReplicaSet", name: "web-4c8", uid: "old" };
  const pods = [
    owned("web-4c8-a", old, { app: "web", "pod-template-hash": "4c8" }, "2025-12-30T00:00:00Z"),
    owned("web-5d9-a", set, labels),
  ];
  const names = await podsAfter([deployment(1), ...pods]);
  expect(names).toEqual(["web-5d9-a"]);
});

test("a workload out of a file gets the UID by which its live pods know it", async () => {
  const owner = { kind: "StatefulSet", name: "db", uid: "live" };
  const pod = owned("db-0", owner, { app: "db" });
  expect(await podsAfter([workload("StatefulSet", "db", { replicas: 1 }), pod])).toEqual(["db-0"]);
  const daemon = owned("agent-x", { kind: "DaemonSet", name: "agent", uid: "live" }, { app: "agent" });
  expect(await podsAfter([workload("DaemonSet", "agent", {}), daemon])).toEqual(["agent-x"]);
});

test("pods whose owner is nowhere to be found stay, and it is said that nobody makes them again", () => {
  const { objects, notes } = withOwners([owned("web-5d9-a", set, labels)]);
  expect(objects).toHaveLength(1);
  expect(notes).toEqual([
    "ReplicaSet/web-5d9 is not among the manifests: nobody makes its 1 pod again after an eviction",
  ]);
});

test("what is complete stays as it is", () => {
  const objects = [deployment(1), readyNode("n"), aPod("p")] as readonly KubeObject[];
  expect(withOwners(objects)).toEqual({ objects, notes: [] });
});
