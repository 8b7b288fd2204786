import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Advice } from "../../cli/doctor/advice.ts";
import { outrigger } from "./command-line.ts";

let directory = "";
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-doctor-"));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const terms = [{ tags: { "karpenter.sh/discovery": "x" } }];
const nodeClass = (spec: object = {}): object => ({
  apiVersion: "karpenter.k8s.aws/v1",
  kind: "EC2NodeClass",
  metadata: { name: "default" },
  spec: {
    role: "r",
    amiSelectorTerms: [{ alias: "al2023@v20250101" }],
    subnetSelectorTerms: terms,
    securityGroupSelectorTerms: terms,
    ...spec,
  },
});

const nodePool = (name: string, spec: object = {}, template: object = {}): object => ({
  apiVersion: "karpenter.sh/v1",
  kind: "NodePool",
  metadata: { name },
  spec: {
    limits: { cpu: 100 },
    disruption: { consolidateAfter: "1m", budgets: [{ nodes: "1" }] },
    template: {
      spec: {
        nodeClassRef: { group: "karpenter.k8s.aws", kind: "EC2NodeClass", name: "default" },
        requirements: [],
        ...template,
      },
    },
    ...spec,
  },
});

const requests = { cpu: "100m", memory: "64Mi" };
const pod = (spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "default", labels: { app: "p" }, ...metadata },
  spec: { containers: [{ name: "main", image: "app:1", resources: { requests } }], ...spec },
});
const budget = (spec: object): object => ({
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "b", namespace: "default" },
  spec: { selector: { matchLabels: { app: "p" } }, ...spec },
});
const workload = (kind: string, name: string, replicas: number, more: object = {}): object => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "p" } },
    template: {
      metadata: { labels: { app: "p" } },
      spec: { containers: [{ name: "main", image: "app:1", resources: { requests } }], ...more },
    },
  },
});
const isIn = (key: string, ...values: readonly string[]): object => ({ key, operator: "In", values });

async function adviceOn(
  objects: readonly object[],
): Promise<{ readonly code: number; readonly advice: readonly Advice[] }> {
  const file = join(directory, "cluster.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "List", items: objects }));
  const { code, out, error } = await outrigger("doctor", "--cluster-config", "-f", file, "--json");
  expect(error).toBe("");
  return { code, advice: (JSON.parse(out) as { advice: readonly Advice[] }).advice };
}

const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels: { "karpenter.sh/nodepool": "a", "kubernetes.io/hostname": "n" } },
  spec: { providerID: "aws:///us-east-1a/i-0123456789abcdef0" },
  status: { capacity: { cpu: "4", memory: "8Gi", pods: "50" }, allocatable: { cpu: "4", memory: "8Gi", pods: "50" } },
};
const held = pod({ nodeName: "n" }, { annotations: { "karpenter.sh/do-not-disrupt": "true" } });
const metadataReader = (spec: object = {}): object =>
  pod({ containers: [{ name: "c", image: "eks/aws-load-balancer-controller:v2", resources: { requests } }], ...spec });

const healthy = [nodeClass(), nodePool("a"), pod()];

test("finds nothing in a cluster that follows the practices, and ends with 0", async () => {
  expect(await adviceOn(healthy)).toEqual({ code: 0, advice: [] });
});

test.each<readonly [string, readonly object[], string, string]>([
  [
    "an image that moves by itself",
    [nodeClass({ amiSelectorTerms: [{ alias: "al2023@latest" }] }), nodePool("a")],
    "EC2NodeClass/default",
    "spec.amiSelectorTerms[0].alias",
  ],
  ["a pool without its class", [nodePool("a")], "NodePool/a", "spec.template.spec.nodeClassRef.name"],
  ["a pool without limits", [nodeClass(), nodePool("a", { limits: {} })], "NodePool/a", "spec.limits"],
  [
    "the default budget alone",
    [nodeClass(), nodePool("a", { disruption: { consolidateAfter: "1m" } })],
    "NodePool/a",
    "spec.disruption.budgets",
  ],
  [
    "few spot types",
    [nodeClass(), nodePool("a", {}, { requirements: [isIn("node.kubernetes.io/instance-type", "m5.large")] })],
    "NodePool/a",
    "spec.template.spec.requirements",
  ],
  ["pools that overlap", [nodeClass(), nodePool("a"), nodePool("b")], "NodePool/a", "spec.weight"],
  [
    "a budget of no pods",
    [...healthy, budget({ maxUnavailable: 0 })],
    "PodDisruptionBudget/default/b",
    "spec.maxUnavailable",
  ],
  [
    "a budget of no percent",
    [...healthy, budget({ maxUnavailable: "0%" })],
    "PodDisruptionBudget/default/b",
    "spec.maxUnavailable",
  ],
  [
    "a budget of all pods",
    [...healthy, budget({ minAvailable: "51%" })],
    "PodDisruptionBudget/default/b",
    "spec.minAvailable",
  ],
  [
    "a budget of all pods of a StatefulSet that makes them one by one",
    [nodeClass(), nodePool("a"), workload("StatefulSet", "s", 3), budget({ minAvailable: "100%" })],
    "PodDisruptionBudget/default/b",
    "spec.minAvailable",
  ],
  [
    "a Deployment without requests, by its own name",
    [nodeClass(), nodePool("a"), workload("Deployment", "bare", 2, { containers: [{ name: "c" }] })],
    "Deployment/default/bare",
    "spec.containers[0].resources.requests.cpu",
  ],
  [
    "a pod without requests",
    [...healthy, pod({ containers: [{ name: "c" }] }, { name: "bare" })],
    "Pod/default/bare",
    "spec.containers[0].resources.requests.cpu",
  ],
  [
    "a pod that holds its node",
    [nodeClass(), nodePool("a"), node, held],
    "NodePool/a",
    "spec.template.spec.terminationGracePeriod",
  ],
  [
    "a pod out of reach of the metadata",
    [nodeClass(), nodePool("a"), metadataReader()],
    "EC2NodeClass/default",
    "spec.metadataOptions.httpPutResponseHopLimit",
  ],
])("tells of %s, with the field and the way out", async (_, objects, object, field) => {
  const { code, advice } = await adviceOn(objects);
  expect(code).toBe(1);
  expect(advice.map((one) => [one.object, one.field])).toContainEqual([object, field]);
  expect(advice.every(({ found, fix }) => found !== "" && fix !== "")).toBe(true);
});

test.each<readonly [string, readonly object[]]>([
  ["pools at different weights", [nodeClass(), nodePool("a", { weight: 10 }), nodePool("b")]],
  [
    "pools parted by a label",
    [
      nodeClass(),
      nodePool("a", {}, { requirements: [isIn("team", "x")] }),
      nodePool("b", {}, { requirements: [isIn("team", "y")] }),
    ],
  ],
  [
    "pools parted by a taint",
    [nodeClass(), nodePool("a"), nodePool("b", {}, { taints: [{ key: "t", effect: "NoSchedule" }] })],
  ],
  [
    "an on-demand pool of few types",
    [
      nodeClass(),
      nodePool(
        "a",
        {},
        {
          requirements: [
            isIn("karpenter.sh/capacity-type", "on-demand"),
            isIn("node.kubernetes.io/instance-type", "m5.large"),
          ],
        },
      ),
    ],
  ],
  [
    "a held node in a pool with a grace period",
    [nodeClass(), nodePool("a", {}, { terminationGracePeriod: "1h" }), node, held],
  ],
  [
    "a reader of the metadata on the host's network",
    [nodeClass(), nodePool("a"), metadataReader({ hostNetwork: true })],
  ],
  [
    "a reader of the metadata two hops away",
    [nodeClass({ metadataOptions: { httpPutResponseHopLimit: 2 } }), nodePool("a"), metadataReader()],
  ],
  [
    "a budget that keeps two of the three pods of a StatefulSet that makes them one by one",
    [nodeClass(), nodePool("a"), workload("StatefulSet", "s", 3), budget({ minAvailable: 2 })],
  ],
  ["a budget that allows one", [...healthy, budget({ maxUnavailable: 1 })]],
  [
    "a budget of no pods that selects none",
    [...healthy, budget({ maxUnavailable: 0, selector: { matchLabels: { app: "q" } } })],
  ],
  [
    "requests of the whole pod",
    [...healthy, pod({ containers: [{ name: "c" }], resources: { requests } }, { name: "bare" })],
  ],
])("finds nothing in %s", async (_, objects) => {
  expect((await adviceOn(objects)).advice).toEqual([]);
});

test("says it in lines for people", async () => {
  const file = join(directory, "pool.json");
  writeFileSync(
    file,
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [nodeClass(), nodePool("a", { limits: {} })] }),
  );
  const { out } = await outrigger("doctor", "--cluster-config", "-f", file);
  expect(out).toBe("NodePool/a: spec.limits: nothing bounds what it may cost; set cpu and memory, or nodes\n");
});

test("says which pool it looked at where the manifests have none", async () => {
  const file = join(directory, "pod.json");
  writeFileSync(file, JSON.stringify(pod()));
  const { out } = await outrigger("doctor", "--cluster-config", "-f", file);
  expect(out).toMatch(/^note: no NodePool among the manifests: the demo's .*\n\n/);
  const { out: json } = await outrigger("doctor", "--cluster-config", "-f", file, "--json");
  expect(JSON.parse(json)).toMatchObject({ notes: [expect.stringMatching(/^no NodePool/)] });
});
