import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NodePool } from "#api/karpenter-v1/nodepool.ts";
import { readInput, type SimulationInput } from "./input.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-input-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function read(text: string): SimulationInput {
  const file = join(directory, "input.yaml");
  writeFileSync(file, text);
  const input = readInput([file]);
  if (input.kind === "problems") throw new Error(JSON.stringify(input.problems));
  return input;
}

const pool = (className: string): string =>
  `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {name: mine}\nspec:\n  template:\n    spec:\n      requirements: []\n      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: ${className}}\n---\n`;
const nodeClass = (name: string): string =>
  `apiVersion: karpenter.k8s.aws/v1\nkind: EC2NodeClass\nmetadata: {name: ${name}}\nspec:\n  role: mine\n  amiSelectorTerms: [{alias: al2023@latest}]\n  subnetSelectorTerms: [{id: subnet-0123456789abcdef0}]\n  securityGroupSelectorTerms: [{id: sg-0123456789abcdef0}]\n---\n`;
const pod = (more = ""): string =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: i}]${more}}\n---\n`;
const names = ({ objects }: SimulationInput): readonly string[] =>
  objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);

describe("readInput", () => {
  test("is the demo when no paths are given", () => {
    const input = readInput([]);
    expect(input.kind === "input" && names(input)).toEqual([
      "Deployment/karpenter-test",
      "EC2NodeClass/default",
      "NodePool/default",
    ]);
  });

  test("adds the demo's pool and class where there is no pool, open to every pod, and says so", () => {
    const input = read(pod());
    expect(names(input)).toEqual(["Pod/p", "EC2NodeClass/default", "NodePool/default"]);
    const { spec } = input.objects[2] as NodePool;
    expect(spec.template.spec.taints).toBeUndefined();
    expect(spec.limits).toBeUndefined();
    expect(spec.template.spec.requirements.some(({ key }) => key.startsWith("karpenter.k8s.aws/"))).toBe(false);
    expect(input.notes).toHaveLength(1);
  });

  test("keeps a class that the user brings under the demo's name", () => {
    const input = read(nodeClass("default") + pod());
    expect(names(input)).toEqual(["EC2NodeClass/default", "Pod/p", "NodePool/default"]);
  });

  test("adds nothing beside a pool, and says when its class is missing", () => {
    expect(read(pool("mine") + nodeClass("mine") + pod()).notes).toEqual([]);
    const { notes } = read(pool("other") + pod());
    expect(notes).toEqual([
      "NodePool/mine names EC2NodeClass/other, which is not among the manifests: it gets no nodes",
    ]);
  });

  test("makes the PriorityClasses that pods name, without which they could not be made", () => {
    const input = read(pool("mine") + nodeClass("mine") + pod(", priorityClassName: high"));
    expect(names(input)).toContain("PriorityClass/high");
    expect(input.notes).toEqual(["PriorityClass/high is not among the manifests: it is made, with value 0"]);
    expect(read(pool("mine") + nodeClass("mine") + pod(", priorityClassName: system-node-critical")).notes).toEqual([]);
  });

  test("says which kinds are not read, which fields are without effect, and what a live node is", () => {
    const { notes } = read(
      `${pool("mine").replace("requirements: []", "requirements: []\n      nonsense: 1")}${nodeClass("mine")}apiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: node-a}\n`,
    );
    expect(notes).toHaveLength(3);
    expect(notes[0]).toContain("left out: 1 Service (v1)");
    expect(notes[1]).toMatch(/without effect: .*input\.yaml:8: NodePool\/mine: spec\.template\.spec\.nonsense/);
    expect(notes[2]).toContain("1 Node is taken as Ready");
  });

  test("says of a kind that makes pods that they are missing, and of a schedule that it cannot be read", () => {
    const budget = "disruption: {consolidateAfter: 1m, budgets: [{nodes: '1', schedule: '99 9 * * *', duration: 1h}]}";
    const { notes } = read(
      `${pool("mine").replace("---", `  ${budget}\n---`)}${nodeClass("mine")}apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n`,
    );
    expect(notes[0]).toMatch(/1 CronJob .*: the pods that it would make are missing from this run/);
    expect(notes[1]).toMatch(/1 Service .*not read$/);
    expect(notes[2]).toMatch(
      /input\.yaml:9: NodePool\/mine: spec\.disruption\.budgets\[0\]\.schedule: .*allows no disruption$/,
    );
  });

  test("a node that is not Ready is told by name and is not taken as Ready; so is a claim whose machine is nowhere", () => {
    const node = (name: string, ready: string): string =>
      `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\nstatus: {conditions: [{type: Ready, status: "${ready}"}]}\n---\n`;
    const claim =
      "apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: c}\nspec: {requirements: [], nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: mine}}\nstatus: {providerID: aws:///z/i-1}\n---\n";
    const { notes } = read(pool("mine") + nodeClass("mine") + node("a", "True") + node("b", "Unknown") + claim);
    expect(notes).toEqual([
      "1 Node is taken as Ready; machines that were there before cost nothing here",
      "not Ready: Node/b; no machine answers for it, and it stays so",
      "no Ready Node for NodeClaim/c; the simulated account has no i-1, so that it is taken for gone",
    ]);
  });
});
