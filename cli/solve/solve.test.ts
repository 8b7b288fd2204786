import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordedTerminal } from "../../test/support/recorded-terminal.ts";
import { main } from "../outrigger.ts";
import type { Answer, Problem } from "./problem.ts";
import { problemOf } from "./read-problem.ts";
import { solveProblem } from "./solve.ts";

let directory = "";
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "outrigger-solve-"));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function run(...words: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const { terminal, said } = recordedTerminal();
  const code = await main(words, terminal);
  return { code, ...said };
}

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

const small = `
options: {wellKnownLabels: [example.org/size]}
nodePools:
- metadata: {name: general}
  spec:
    limits: {cpu: "100"}
    template: {spec: {nodeClassRef: {group: x, kind: Y, name: z}, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}}
instanceTypes:
- &type
  name: m.small
  requirements: [{key: example.org/size, operator: In, values: [small]}]
  capacity: {cpu: "2", memory: 4Gi, pods: "20"}
  overhead: {kubeReserved: {cpu: 100m, memory: 200Mi}}
  offerings:
  - {zone: a, capacityType: on-demand, price: 0.1}
  - {zone: b, capacityType: spot, price: 0.01, available: false}
- {<<: *type, name: m.arm, requirements: [{key: kubernetes.io/arch, operator: In, values: [arm64]}]}
nodes:
- {name: old, nodePool: general, instanceType: m.small, zone: a, capacityType: on-demand}
pods:
- {metadata: {name: first}, spec: {containers: [{name: c, resources: {requests: {cpu: 1500m}}}]}}
- {metadata: {name: second}, spec: {containers: [{name: c, resources: {requests: {cpu: 1500m}}}]}}
- {metadata: {name: third}, spec: {containers: [{name: c, resources: {requests: {cpu: "8"}}}]}}
- {metadata: {name: busy}, spec: {nodeName: old, containers: [{name: c, resources: {requests: {cpu: 100m}}}]}}
`;

describe("outrigger solve", () => {
  test("places pods on nodes, on claims, or says why not, in the peer's form", async () => {
    const { code, out, error } = await run("solve", file("small.yaml", small));
    expect(error).toBe("");
    expect(code).toBe(1);
    const answer = JSON.parse(out) as Answer;
    expect(answer.existingNodes).toEqual([{ name: "old", pods: ["default/first"] }]);
    expect(answer.nodeClaims).toEqual([
      {
        nodePool: "general",
        requirements: [
          { key: "karpenter.sh/nodepool", operator: "In", values: ["general"] },
          { key: "kubernetes.io/arch", operator: "In", values: ["amd64"] },
        ],
        instanceTypes: ["m.small"],
        cheapest: { instanceType: "m.small", zone: "a", capacityType: "on-demand", price: 0.1 },
        requests: { cpu: "1500m", pods: "1" },
        pods: ["default/second"],
      },
    ]);
    expect(Object.keys(answer.podErrors ?? {})).toEqual(["default/third"]);
    expect(answer.podErrors?.["default/third"]).toContain("cpu");
    expect(answer.runs).toHaveLength(1);
    expect(answer.runs[0]).toMatchObject({
      nodeClaims: 1,
      podsOnExistingNodes: 1,
      podsOnNewNodes: 1,
      podErrors: 1,
      cheapestCostPerHour: 0.1,
    });
  });

  test("repeats and leaves the placements out of a summary", async () => {
    const { out } = await run("solve", file("small.yaml", small), "--repeat", "3", "--summary");
    const answer = JSON.parse(out) as Answer;
    expect(answer.runs).toHaveLength(3);
    expect(answer).not.toHaveProperty("nodeClaims");
  });

  test("ends with 0 when every pod has a place", async () => {
    const { code } = await run("solve", file("fits.yaml", small.replace('cpu: "8"', 'cpu: "1"')));
    expect(code).toBe(0);
  });

  test.each([
    ["nodePols: []", /^\S+x.yaml:1: nodePols: is not a field here/],
    ["instanceTypes: [{name: a, capacity: {cpu: x}}]", /instanceTypes\[0\]\.capacity\[cpu\]: must be a quantity/],
    ["instanceTypes: [{capacity: {}}]", /instanceTypes\[0\]\.name: is required/],
    ["options: {preferencePolicy: Sometimes}", /options\.preferencePolicy: must be one of Respect, Ignore/],
    ["pods: [{metadata: {name: a}, spec: {containers: []}}]", /pods\[0\]\.spec\.containers: /],
    ["pods: [{metadata: {name: a}}]", /pods\[0\]\.spec: is required/],
    [
      "objects: [{apiVersion: v1, kind: Service, metadata: {name: a}}]",
      /objects\[0\]: must be an object that scheduling/,
    ],
    ["nodes: [{name: one}, {name: one}]", /nodes\[1\]: must not repeat item 0/],
    ["a: 1\n---\nb: 2", /x.yaml:3: a second document/],
    ["{", /not readable as YAML/],
    ["", /no manifest in it/],
  ])("refuses %j and names file and field", async (text, message) => {
    const { code, out, error } = await run("solve", file("x.yaml", text));
    expect([code, out]).toEqual([2, ""]);
    expect(error).toMatch(message);
  });

  test.each([
    [["solve"], "missing required argument"],
    [["solve", "/no/such.yaml"], "/no/such.yaml: no such file or directory"],
    [["solve", "x", "--repeat", "0"], "whole number from 1"],
    [["solve", "x", "--mode", "all"], "Allowed choices are provision"],
  ])("%j ends with 2 and says why", async (words, text) => {
    const { code, error } = await run(...words);
    expect(code).toBe(2);
    expect(error).toContain(text);
  });
});

describe("a problem", () => {
  const pod = (name: string, cpu: string, more: object = {}) => ({
    metadata: { name },
    spec: { containers: [{ name: "c", resources: { requests: { cpu } } }], ...more },
  });
  const base = {
    nodePools: [{ metadata: { name: "p" }, spec: { template: { spec: { requirements: null } } } }],
    instanceTypes: [
      {
        name: "s",
        capacity: { cpu: "2", pods: "9" },
        overhead: {},
        offerings: [{ zone: "a", capacityType: "spot", price: 1 }],
      },
    ],
  };
  const solved = (more: object) => solveProblem(problemOf({ ...base, ...more })).placement;

  test("does not depend on the order of its objects", () => {
    const pods = ["a", "b", "c", "d"].map((name) => pod(name, "900m"));
    expect(solved({ pods: [...pods].reverse() })).toEqual(solved({ pods }));
  });

  test("takes pods off nodes that are marked for deletion, and places nothing there", () => {
    const owner = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "r", uid: "r", controller: true };
    const running = pod("runs", "1", { nodeName: "old" });
    const placement = solved({
      options: { markedForDeletion: ["old"] },
      nodes: [{ name: "old", nodePool: "p", instanceType: "s", zone: "a", capacityType: "spot" }],
      pods: [{ ...running, metadata: { name: "runs", ownerReferences: [owner] } }, pod("waits", "1")],
    });
    expect(placement.existingNodes).toEqual([]);
    expect(placement.nodeClaims.map(({ pods }) => pods)).toEqual([["default/runs", "default/waits"]]);
  });

  test("offers a type to the NodePools that it names only", () => {
    const own = [{ ...base.instanceTypes[0], nodePools: ["other"] }];
    expect(Object.keys(solved({ instanceTypes: own, pods: [pod("a", "1")] }).podErrors)).toEqual(["default/a"]);
  });

  test("accounts for pods that ask for no NodePool's nodes", () => {
    const expression = { key: "karpenter.sh/nodepool", operator: "DoesNotExist" };
    const required = { nodeSelectorTerms: [{ matchExpressions: [expression] }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const { podErrors } = solved({ pods: [pod("foreign", "1", { affinity })] });
    expect(podErrors["default/foreign"]).toMatch(/^ignored: /);
  });

  test("keeps what the form says beyond defaults", () => {
    const problem: Problem = problemOf({ ...base, options: { minValuesPolicy: "BestEffort", concurrency: 5 } });
    expect(problem.options).toMatchObject({ minValuesPolicy: "BestEffort", preferencePolicy: "Respect" });
    expect(problem.instanceTypes[0]?.offerings[0]).toMatchObject({ available: true, reservationCapacity: 0 });
  });
});
