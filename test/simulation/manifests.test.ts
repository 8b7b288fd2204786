import { describe, expect, test } from "vitest";
import { outrigger, simulated } from "./command-line.ts";

const pod = (name: string, cpu: string, more = ""): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  containers: [{name: c, image: i, resources: {requests: {cpu: "${cpu}"}}}]\n${more}---\n`;
const pool = (name: string, more = "", group = "karpenter.k8s.aws"): string => `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ${name}}
spec:
  template:
    spec:
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
      nodeClassRef: {group: ${group}, kind: EC2NodeClass, name: default}
${more}---
`;
const nodeClass = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  role: node
  amiSelectorTerms: [{alias: al2023@latest}]
  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: mine}}]
  securityGroupSelectorTerms: [{tags: {karpenter.sh/discovery: mine}}]
---
`;

describe("manifests of a user", () => {
  test("run for half an hour on their own pool", async () => {
    const { code, result } = await simulated(pod("a", "1") + pool("mine") + nodeClass);
    expect(code).toBe(0);
    expect(result.claims[0]?.metadata.labels).toMatchObject({
      "karpenter.sh/nodepool": "mine",
      "karpenter.sh/capacity-type": "on-demand",
    });
    expect(result.pods[0]?.status?.phase).toBe("Running");
    expect(result.timeline.some(({ kind }) => kind === "interruption")).toBe(false);
  });

  test("without a NodePool get the demo's, which takes any pod, and are told so", async () => {
    const { code, result } = await simulated(pod("a", "1"), "--minutes", "10");
    expect(code).toBe(0);
    expect(result.timeline.find(({ kind }) => kind === "note")?.message).toContain("no NodePool among the manifests");
  });

  test("a pod without a place ends the run with 1, and the reason names pod, rule and numbers", async () => {
    const { code, result } = await simulated(pod("fits", "1") + pod("huge", "500"), "--minutes", "10");
    expect(code).toBe(1);
    expect(result.unplaced).toHaveLength(1);
    expect(result.unplaced[0]?.pod).toBe("default/huge");
    expect(result.unplaced[0]?.reason).toMatch(/cpu.*500/);
  });

  test("what is not supported yet is told once and left alone", async () => {
    const foreign = pool("auto", "", "eks.amazonaws.com").replace("EC2NodeClass", "NodeClass");
    const overlay = "apiVersion: karpenter.sh/v1alpha1\nkind: NodeOverlay\nmetadata: {name: o}\nspec: {}\n---\n";
    const { code, result } = await simulated(
      pod("a", "1") + pool("mine") + pool("fixed", "  replicas: 3\n") + foreign + overlay + nodeClass,
    );
    expect(code).toBe(0);
    const told = result.timeline.filter(({ kind }) => kind === "unsupported").map(({ object }) => object);
    expect(told.sort()).toEqual(["NodeOverlay/o", "NodePool/auto", "NodePool/fixed"]);
    expect(new Set(result.claims.map(({ metadata }) => metadata.labels?.["karpenter.sh/nodepool"]))).toEqual(
      new Set(["mine"]),
    );
  });

  test("a spot market that takes instances back leaves no pod behind", async () => {
    const spot = "  nodeSelector: {karpenter.sh/capacity-type: spot}\n";
    const deployment = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 6
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {karpenter.sh/capacity-type: spot}
      containers: [{name: c, image: i, resources: {requests: {cpu: "3"}}}]
---
`;
    const { code, result } = await simulated(
      deployment + pod("single", "1", spot),
      "--interrupt",
      "--minutes",
      "120",
      "--seed",
      "3",
    );
    expect(result.timeline.filter(({ kind }) => kind === "interruption").length).toBeGreaterThan(0);
    expect(code).toBe(0);
  });

  test("what a run wrote can be read in again, with its nodes", async () => {
    const first = await simulated(pod("a", "1") + pool("mine") + nodeClass, "--minutes", "10");
    const list = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [...first.result.nodes, ...first.result.pods],
    });
    const { code, result } = await simulated(list, "--minutes", "5");
    expect(code).toBe(0);
    expect(result.claims).toEqual([]);
    expect(result.pods[0]?.spec.nodeName).toBe(first.result.nodes[0]?.metadata.name);
  });
});

test("--metrics - gives stdout to the metrics and to nothing else", async () => {
  const { code, out } = await outrigger("simulate", "--minutes", "1", "--metrics", "-");
  expect(code).toBe(1);
  expect(out).toMatch(/^# HELP /);
  for (const line of out.trimEnd().split("\n")) expect(line).toMatch(/^(# (HELP|TYPE) |\w+[ {])/);
});
