import { describe, expect, test } from "vitest";
import type { InstanceType } from "#core/instance-type.ts";
import type { Snapshot } from "#core/snapshot.ts";
import {
  node,
  nodePool,
  pendingPod,
  sizes,
  snapshotOf,
  testProvider,
} from "../../../test/support/scheduling-objects.ts";
import { type Plan, planProvisioning } from "./plan.ts";

const plan = (snapshot: Snapshot<readonly InstanceType[]>): Plan => planProvisioning(snapshot, testProvider);

describe("ignoring pods that are alone", () => {
  const settings = { ignoreWhenAloneNamespaces: ["kube-system"] };
  const dns = pendingPod("coredns", { cpu: "100m" }, {}, { namespace: "kube-system" });

  test("they do not wake an empty cluster", () => {
    const result = plan(snapshotOf({ pods: [dns], nodePools: [nodePool("default")] }, sizes, settings));
    expect([result.claims, result.unschedulable]).toEqual([[], []]);
    expect(result.ignored.flatMap(({ pods }) => pods)).toEqual([dns]);
  });

  test("with anybody else they ride along", () => {
    const pods = [dns, pendingPod("user", { cpu: "1" })];
    const result = plan(snapshotOf({ pods, nodePools: [nodePool("default")] }, sizes, settings));
    expect(result.claims.map(({ planned }) => planned.pods.length)).toEqual([2]);
  });
});

describe("a node with a pod that cannot be read", () => {
  const small = { pods: [pendingPod("p", { cpu: "1" })], nodes: [node("n", { cpu: "4", memory: "8Gi", pods: "10" })] };
  const ref = { kind: "Pod", name: "odd", namespace: "default" } as const;
  const unreadable = (nodeName: string) => [{ ref, nodeName, field: "spec", message: "must be an object" }];

  test("is counted on for no other: nobody knows how much room it leaves", () => {
    const cluster = { ...small, nodePools: [nodePool("default")] };
    expect(plan(snapshotOf({ ...cluster, problems: unreadable("other") }, sizes)).claims).toHaveLength(0);
    expect(plan(snapshotOf({ ...cluster, problems: unreadable("n") }, sizes)).claims).toHaveLength(1);
  });
});
