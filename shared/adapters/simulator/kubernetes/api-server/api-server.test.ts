import { describe, expect, test } from "vitest";
import { aPod, KubernetesWorld, readyNode } from "../../../../../test/support/simulated-kubernetes.ts";
import { VirtualClock } from "../../virtual-clock.ts";
import { ApiServer } from "./api-server.ts";
import { nodeClassKind } from "./resource-kinds.ts";

const namespace = (name: string) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });
const configMap = (name: string, space?: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...(space === undefined ? {} : { namespace: space }) },
});

describe("ApiServer", () => {
  test("objects come out frozen to the bottom, and the caller's object stays its own", () => {
    const { api } = new KubernetesWorld();
    const given = { ...configMap("c"), data: { a: "1" } };
    const answer = api.create(given);
    if (answer.kind === "refused") throw new Error(answer.message);
    expect(Object.isFrozen(answer.object)).toBe(true);
    expect(Object.isFrozen(answer.object.metadata)).toBe(true);
    given.data.a = "2";
    expect(api.get("ConfigMap", "c", "default")).toMatchObject({ object: { data: { a: "1" } } });
  });

  test("an object of a namespace that is not there is not created", () => {
    const { api } = new KubernetesWorld();
    expect(api.create(configMap("c", "nowhere"))).toMatchObject({ code: 404, reason: "NotFound" });
  });

  test("a kind, or a group of a kind, that is not served is not found", () => {
    const { api } = new KubernetesWorld();
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" } };
    expect(api.create(widget)).toMatchObject({ code: 404 });
    expect(api.create({ ...widget, kind: "NodePool" })).toMatchObject({ code: 404 });
    expect(api.create("nonsense")).toMatchObject({ code: 400 });
  });

  test("a generated name is the prefix and five characters, each time another", () => {
    const { api } = new KubernetesWorld();
    const make = () => api.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "c-" } });
    const names = Array.from({ length: 20 }, () => {
      const answer = make();
      return answer.kind === "ok" ? answer.object.metadata.name : "";
    });
    for (const name of names) expect(name).toMatch(/^c-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(new Set(names).size).toBe(20);
  });

  test("the same seed gives the same UIDs, another seed others", () => {
    const uids = (seed: number) => {
      const api = new ApiServer({ clock: new VirtualClock(0), seed });
      return ["a", "b"].map((name) => {
        const answer = api.create(namespace(name));
        return answer.kind === "ok" ? answer.object.metadata.uid : "";
      });
    };
    expect(uids(1)).toEqual(uids(1));
    expect(uids(1)).not.toEqual(uids(2));
  });

  test("status is dropped at creation and kept when an object is restored", () => {
    const { api } = new KubernetesWorld();
    const live = { ...aPod("p"), status: { phase: "Running" } };
    expect(api.create(live)).toMatchObject({ object: { status: { phase: "Pending" } } });
    const uid = "11111111-1111-4111-8111-111111111111";
    const metadata = { name: "q", namespace: "default", uid, creationTimestamp: "2025-06-01T00:00:00Z" };
    expect(api.restore({ ...live, metadata })).toMatchObject({
      object: { metadata: { uid, creationTimestamp: "2025-06-01T00:00:00Z" }, status: { phase: "Running" } },
    });
  });
});

describe("ApiServer: watches, kinds and fixed fields", () => {
  test("a watch from a revision that is forgotten must list again", async () => {
    const { api } = new KubernetesWorld();
    const { revision } = api.store;
    for (let i = 0; i < 20_001; i++) {
      api.create({ apiVersion: "v1", kind: "Event", metadata: { name: `e${i}` } });
      if (i > 100) api.delete("Event", `e${i - 100}`, "default");
    }
    const tooOld = api.watch("Event", { resourceVersion: String(revision) }, () => undefined);
    expect(tooOld).toMatchObject({ kind: "refused", code: 410, reason: "Expired" });
    const recent = api.watch("Event", { resourceVersion: String(api.store.revision - 5) }, () => undefined);
    expect(recent.kind).toBe("watching");
  });

  test("a listener's own writes are heard after the change that it heard", () => {
    const { api } = new KubernetesWorld();
    const heard: string[] = [];
    api.watch("ConfigMap", {}, ({ object }) => {
      if (object.metadata.name === "first") api.create(configMap("second"));
    });
    api.watch("ConfigMap", {}, ({ object }) => heard.push(object.metadata.name));
    api.create(configMap("first"));
    expect(heard).toEqual(["first", "second"]);
  });

  test("a pod's specification is fixed, but for its image", () => {
    const { api } = new KubernetesWorld();
    api.create(aPod("p"));
    const cpu = { spec: { nodeSelector: { a: "b" } } };
    expect(api.patch("Pod", "p", "default", cpu)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(api.patch("Pod", "p", "default", { spec: { nodeName: "n" } })).toMatchObject({ code: 422 });
    const resources = { requests: { cpu: "500m", memory: "256Mi" } };
    const containers = [{ name: "main", image: "nginx:2", resources }];
    expect(api.patch("Pod", "p", "default", { spec: { containers } })).toMatchObject({ kind: "ok" });
  });

  test("kinds that Outrigger does not act on are stored, and seen as such", async () => {
    const { api, cluster } = new KubernetesWorld();
    api.create({ apiVersion: "karpenter.sh/v1alpha1", kind: "NodeOverlay", metadata: { name: "o" }, spec: {} });
    const { unsupported } = await cluster.observe("everything");
    expect(unsupported.map(({ kind }) => kind)).toEqual(["NodeOverlay"]);
  });

  test("another provider's node class is a kind like any other", () => {
    const kind = nodeClassKind("BenchNodeClass", "workshop.example/v1", "benchnodeclasses");
    const api = new ApiServer({ clock: new VirtualClock(0), seed: 1, customKinds: [kind] });
    const raw = { apiVersion: "workshop.example/v1", kind: "BenchNodeClass", metadata: { name: "b" }, spec: {} };
    expect(api.create(raw)).toMatchObject({ kind: "ok", object: { metadata: { generation: 1 } } });
    const ready = { conditions: [{ type: "Ready", status: "True" }] };
    expect(api.patchStatus("BenchNodeClass", "b", undefined, ready)).toMatchObject({ object: { status: ready } });
  });

  test("what a manifest's node brings as status stays", () => {
    const { api } = new KubernetesWorld();
    api.create(readyNode("n"));
    expect(api.get("Node", "n")).toMatchObject({ object: { status: { capacity: { cpu: "4" } } } });
  });
});
