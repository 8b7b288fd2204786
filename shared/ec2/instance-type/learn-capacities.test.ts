import { describe, expect, test } from "vitest";
import type { Node } from "#api/core-v1/node.ts";
import type { NodeClaim } from "#api/karpenter-v1/nodeclaim.ts";
import { planProvisioning } from "#core/provisioning/plan.ts";
import { stateAfter } from "#core/state/state-patch.ts";
import { claimOf, nowMs, resolvedClass, snapshotOf } from "../../../test/support/ec2-world.ts";
import { nodePool, pendingPod } from "../../../test/support/scheduling-objects.ts";
import { ec2Provider } from "../provider.ts";
import { learnCapacities } from "./learn-capacities.ts";

const nodeClass = resolvedClass();
const imageID = nodeClass.status?.amis?.[0]?.id ?? "";
const mib = 1_048_576;
const days = 24 * 60 * 60_000;

function claimWith(image = imageID): NodeClaim {
  return { ...claimOf(), status: { providerID: "aws:///us-east-1a/i-1", imageID: image } };
}

function nodeWith(memory: string, name = "n1", providerID = "aws:///us-east-1a/i-1"): Node {
  const labels = { "node.kubernetes.io/instance-type": "c6g.medium", "karpenter.sh/registered": "true" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels },
    spec: { providerID },
    status: { capacity: { memory, "ephemeral-storage": "20957446144" } },
  };
}

function learn(nodes: readonly Node[], state: Readonly<Record<string, string>> = {}, claim = claimWith()) {
  const { commands } = learnCapacities(snapshotOf({ nodeClasses: [nodeClass], nodeClaims: [claim], nodes, state }));
  return stateAfter(
    {},
    commands.flatMap((command) => (command.kind === "patch-state" ? [command] : [])),
  );
}

function memoryOf(state: Readonly<Record<string, string>>): number | undefined {
  const snapshot = snapshotOf({ nodeClasses: [nodeClass], state });
  const answer = ec2Provider.instanceTypesOfClaim(snapshot, claimOf());
  const type = answer.kind === "known" ? answer.instanceTypes.find(({ name }) => name === "c6g.medium") : undefined;
  return type?.capacity.memory;
}

describe("what nodes report replaces the estimate", () => {
  test("the first registered node of a type teaches its memory and storage", () => {
    expect(memoryOf({})).toBe(1835 * mib);
    const state = learn([nodeWith("1700Mi")]);
    expect(memoryOf(state)).toBe(1700 * mib);
  });

  test("a second look at the same node writes nothing, a smaller report does, a larger one does not", () => {
    const state = learn([nodeWith("1700Mi")]);
    expect(learn([nodeWith("1700Mi")], state)).toEqual({});
    expect(learn([nodeWith("1800Mi")], state)).toEqual({});
    expect(memoryOf({ ...state, ...learn([nodeWith("1600Mi")], state) })).toBe(1600 * mib);
  });

  test("a node of an image that the class no longer names teaches nothing", () => {
    expect(learn([nodeWith("1700Mi")], {}, claimWith("ami-old"))).toEqual({});
  });

  test("a node without a claim, or unregistered, teaches nothing", () => {
    expect(learn([nodeWith("1700Mi", "n1", "aws:///us-east-1a/i-other")])).toEqual({});
    const { "karpenter.sh/registered": _, ...labels } = nodeWith("1700Mi").metadata.labels ?? {};
    expect(learn([{ ...nodeWith("1700Mi"), metadata: { name: "n1", labels } }])).toEqual({});
  });

  test("a fact says nothing any more after sixty days", () => {
    const [key = ""] = Object.keys(learn([nodeWith("1700Mi")]));
    const old = { [key]: `1 1 ${nowMs}` };
    expect(memoryOf(old)).toBe(1835 * mib);
    expect(learn([nodeWith("1700Mi")])[key]).toBe(`${1700 * mib} 20957446144 ${nowMs + 60 * days}`);
  });
});

describe("what users reported: an estimate that a node contradicts is never launched for again", () => {
  const key = (name: string): string => {
    const node = nodeWith("1Mi");
    const labels = { ...node.metadata.labels, "node.kubernetes.io/instance-type": name };
    return Object.keys(learn([{ ...node, metadata: { name: "n1", labels } }]))[0] ?? "";
  };
  /** Types that a claim of these requests may be launched as. */
  const typesFor = (requests: Readonly<Record<string, string>>, names: readonly string[], state = {}) => {
    const requirements = [{ key: "node.kubernetes.io/instance-type", operator: "In" as const, values: names }];
    const snapshot = snapshotOf({ nodeClasses: [nodeClass], state });
    const plan = ec2Provider.planLaunch(snapshot, claimOf({ requirements, resources: { requests } }), 1);
    return plan.kind === "launch" ? [...new Set(plan.launch.options.map(({ instanceType }) => instanceType))] : [];
  };

  test("row 3: a pod that the estimate held and the node did not gets a larger type", () => {
    const names = ["c6g.medium", "c6g.large"];
    // Estimated 1,392Mi for pods; a node with 1,700Mi in all leaves 1,257Mi.
    expect(typesFor({ memory: "1300Mi" }, names)).toEqual(["c6g.medium", "c6g.large"]);
    expect(typesFor({ memory: "1300Mi" }, names, learn([nodeWith("1700Mi")]))).toEqual(["c6g.large"]);
  });

  test("row 4: four pods of 240954Mi do not fit the estimate of 961470Mi, and fit the learned 1007423Mi", () => {
    const four = { memory: `${4 * 240_954}Mi` };
    expect(typesFor({ memory: "961470Mi" }, ["i4i.32xlarge"])).toEqual(["i4i.32xlarge"]);
    expect(typesFor({ memory: "961471Mi" }, ["i4i.32xlarge"])).toEqual([]);
    expect(typesFor(four, ["i4i.32xlarge"])).toEqual([]);
    // The node has 8,462Mi more in all: what the kubelet keeps and the eviction threshold.
    const state = { [key("i4i.32xlarge")]: `${(1_007_423 + 8_462) * mib} 20957446144 ${nowMs + days}` };
    expect(typesFor(four, ["i4i.32xlarge"], state)).toEqual(["i4i.32xlarge"]);
    expect(typesFor({ memory: "1007423Mi" }, ["i4i.32xlarge"], state)).toEqual(["i4i.32xlarge"]);
    expect(typesFor({ memory: "1007424Mi" }, ["i4i.32xlarge"], state)).toEqual([]);
    expect([claimsFor({}), claimsFor(state)]).toEqual([2, 1]);
  });

  /** How many claims four pods of 240954Mi make in a pool of that type. */
  function claimsFor(state: Readonly<Record<string, string>>): number {
    const requirements = [
      { key: "node.kubernetes.io/instance-type", operator: "In", values: ["i4i.32xlarge"] },
    ] as const;
    const pool = nodePool("default", { requirements });
    const { template } = pool.spec;
    const spec = { ...template.spec, nodeClassRef: claimOf().spec.nodeClassRef };
    const nodePools = [{ ...pool, spec: { ...pool.spec, template: { ...template, spec } } }];
    const pods = ["a", "b", "c", "d"].map((name) => pendingPod(name, { memory: "240954Mi" }));
    return planProvisioning(snapshotOf({ nodeClasses: [nodeClass], nodePools, pods, state }), ec2Provider).claims
      .length;
  }

  test("row 5: the gap between the estimate of a disk and what the kubelet reports closes with the first node", () => {
    // 20Gi less 1Gi less a tenth: 17Gi; the node reports 19.518Gi in all, which leaves 16.566Gi.
    const gap = { "ephemeral-storage": "17000Mi" };
    expect(typesFor(gap, ["c6g.medium"])).toEqual(["c6g.medium"]);
    expect(typesFor(gap, ["c6g.medium"], learn([nodeWith("1835Mi")]))).toEqual([]);
  });
});
