import { describe, expect, test } from "vitest";
import { aPod, KubernetesWorld, readyNode } from "../../../../../test/support/simulated-kubernetes.ts";

const priorityClass = (name: string, value: number, globalDefault = false) => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  value,
  globalDefault,
});

describe("admission", () => {
  test("a pod has its class's priority, the default class's, or 0", () => {
    const { api } = new KubernetesWorld();
    api.create(aPod("plain"));
    api.create(priorityClass("high", 1000));
    api.create(aPod("high", { priorityClassName: "high" }));
    api.create(priorityClass("usual", 5, true));
    api.create(aPod("later"));
    api.create(aPod("critical", { priorityClassName: "system-node-critical" }));
    const priority = (name: string) => {
      const answer = api.get("Pod", name, "default");
      return answer.kind === "ok" ? answer.object.spec.priority : undefined;
    };
    expect(["plain", "high", "later", "critical"].map(priority)).toEqual([0, 1000, 5, 2_000_001_000]);
  });

  test("a pod of an unknown priority class is forbidden", () => {
    const { api } = new KubernetesWorld();
    expect(api.create(aPod("p", { priorityClassName: "nope" }))).toMatchObject({ code: 403, reason: "Forbidden" });
  });

  test("a pod stays five minutes on a node in trouble, unless it says otherwise", () => {
    const { api } = new KubernetesWorld();
    const own = {
      key: "node.kubernetes.io/not-ready",
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 10,
    } as const;
    const answer = api.create(aPod("p", { tolerations: [own] }));
    expect(answer).toMatchObject({
      object: { spec: { tolerations: [own, { key: "node.kubernetes.io/unreachable", tolerationSeconds: 300 }] } },
    });
    const all = api.create(aPod("q", { tolerations: [{ operator: "Exists" }] }));
    expect(all).toMatchObject({ object: { spec: { tolerations: [{ operator: "Exists" }] } } });
  });

  test("a new node is not ready until its kubelet says so", () => {
    const { api } = new KubernetesWorld();
    const answer = api.create(readyNode("n", { taints: [{ key: "own", effect: "NoExecute" }] }));
    expect(answer).toMatchObject({
      object: { spec: { taints: [{ key: "own" }, { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] } },
    });
  });

  test("a claim without class gets the default class, one with an empty class none", () => {
    const { api } = new KubernetesWorld();
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };
    api.create({
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "gp3", annotations },
      provisioner: "x",
    });
    const claim = (name: string, spec: object) => ({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace: "default" },
      spec,
    });
    expect(api.create(claim("a", {}))).toMatchObject({ object: { spec: { storageClassName: "gp3" } } });
    expect(api.create(claim("b", { storageClassName: "" }))).toMatchObject({
      object: { spec: { storageClassName: "" } },
    });
  });
});
