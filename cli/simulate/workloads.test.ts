import { expect, test } from "vitest";
import type { Deployment } from "#api/core-v1/workload.ts";
import { shortWorkloads } from "./workloads.ts";

const workload = (name: string, wanted: number | undefined, made: number | undefined, owned = false): Deployment => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name,
    namespace: "default",
    ...(owned ? { ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "o", uid: "u" }] } : {}),
  },
  spec: {
    ...(wanted === undefined ? {} : { replicas: wanted }),
    selector: {},
    template: { spec: { containers: [] } },
  },
  ...(made === undefined ? {} : { status: { replicas: made } }),
});

test("workloads with fewer pods than they ask for are told once, by the object that the user wrote", () => {
  const lists = {
    Deployment: [workload("full", 2, 2), workload("none", undefined, undefined), workload("zero", 0, undefined)],
    StatefulSet: [workload("db", 3, 1)],
    ReplicaSet: [workload("none-abc", 1, 0, true), workload("own", 1, 0)],
  };
  expect(shortWorkloads({ list: (kind) => lists[kind] })).toEqual([
    "Deployment default/none has 0 of 1 pods",
    "StatefulSet default/db has 1 of 3 pods",
    "ReplicaSet default/own has 0 of 1 pods",
  ]);
});
