import { describe, expect, test } from "vitest";
import type { Pod } from "#api/core-v1/pod.ts";
import { parseObject } from "#api/parse.ts";
import { type ClusterView, emptyCluster } from "#core/snapshot.ts";
import { conditionOf, leftNodeClaim, leftNodeClass, leftNodePool } from "../../test/support/karpenter-objects.ts";
import { afterUpgrade, checkText, type Interruptions, type TestedWorkload } from "./after-upgrade.ts";

const leaves = { classHashVersion: "v5" } as const;
const made = "2025-12-01T00:00:00Z";
const at = (seconds: number): string => new Date(Date.parse(made) + seconds * 1000).toISOString().replace(".000", "");
const labels = {
  "karpenter.sh/nodepool": "default",
  "karpenter.sh/capacity-type": "spot",
  "node.kubernetes.io/instance-type": "m5.large",
  "topology.kubernetes.io/zone": "us-east-1a",
};
const spot = [{ key: "karpenter.sh/capacity-type", operator: "In", values: ["spot"] }];

interface Change {
  readonly nodeClass?: object;
  readonly claimLabels?: Readonly<Record<string, string | undefined>>;
  /** Of each claim, how long its node took, seconds. */
  readonly startUps?: readonly number[];
  readonly ready?: string;
  readonly pods?: readonly Pod[];
  readonly requirements?: readonly object[];
  readonly interruptions?: Interruptions;
}

function pod(nodeName: string, readyAfterSeconds: number, owner = "ReplicaSet"): Pod {
  return {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: {
      ...{ name: "web", namespace: "default", creationTimestamp: made },
      ownerReferences: [{ apiVersion: "apps/v1", kind: owner, name: "web", uid: "u", controller: true }],
    },
    spec: { nodeName, containers: [{ name: "main" }] },
    status: {
      phase: "Running",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(readyAfterSeconds) }],
    },
  } as unknown as Pod;
}

function viewOf(change: Change): ClusterView {
  const {
    nodeClass = { tags: { team: "red" } },
    startUps = [48, 75, 50],
    ready = "True",
    requirements = spot,
  } = change;
  const claims = startUps.map((seconds, index) => {
    const claim = leftNodeClaim(`c${index}`, leaves, {
      ...{ creationTimestamp: made, labels: { ...labels, ...change.claimLabels } },
    }) as { readonly status: object };
    const initialized = { ...conditionOf("Initialized"), lastTransitionTime: at(seconds) };
    return { ...claim, status: { ...claim.status, conditions: [initialized, conditionOf("Ready", ready)] } };
  });
  const template = (leftNodePool() as { readonly spec: { readonly template: { readonly spec: object } } }).spec
    .template;
  const pool = leftNodePool({ template: { ...template, spec: { ...template.spec, requirements } } });
  const read = (objects: readonly object[]): readonly never[] =>
    objects.map((object) => {
      const parsed = parseObject(object);
      if (parsed.kind !== "object") throw new Error(JSON.stringify(parsed));
      return parsed.object as never;
    });
  return {
    ...emptyCluster,
    nodeClasses: read([leftNodeClass(leaves, nodeClass)]),
    nodePools: read([pool]),
    nodeClaims: read(claims),
    pods: change.pods ?? [pod("c0.ec2.internal", 60)],
  };
}

function checksOf(change: Change) {
  return afterUpgrade(viewOf(change), change.interruptions ?? "on");
}

const tags = { team: "red" };
/** The check, what is so, the change that makes it so, and what is said. */
const unmet: readonly (readonly [string, string, Change, RegExp])[] = [
  ["test workload", "no pod runs", { pods: [] }, /--yes, with --kubeconfig, starts a pod/],
  [
    "test workload",
    "only daemons run",
    { pods: [pod("c0.ec2.internal", 60, "DaemonSet")] },
    /--yes, with --kubeconfig, starts a pod/,
  ],
  ["test workload", "pods run elsewhere alone", { pods: [pod("other", 60)] }, /--yes, with --kubeconfig, starts a pod/],
  ["nodeclaims", "there is none", { startUps: [] }, /there is no NodeClaim; --yes/],
  ["nodeclaims", "one is not Ready", { ready: "False" }, /not Ready: c0 .*outrigger explain/],
  [
    "nodeclaims",
    "one has no zone",
    { claimLabels: { "topology.kubernetes.io/zone": undefined } },
    /without type, capacity, zone or node: c0/,
  ],
  [
    "IMDSv2",
    "IMDSv1 is open",
    { nodeClass: { tags, metadataOptions: { httpTokens: "optional" } } },
    /httpTokens: required/,
  ],
  [
    "pinned alias",
    "one moves",
    { nodeClass: { tags, amiSelectorTerms: [{ alias: "al2023@latest" }] } },
    /@latest: EC2NodeClass\/default; write the version/,
  ],
  ["interruption handling", "nothing takes the warnings", { interruptions: "off" }, /npx cdk deploy/],
  [
    "interruption handling",
    "nobody can see it",
    { interruptions: { unknown: "no access" } },
    /no access; run this with --kubeconfig/,
  ],
  [
    "spot",
    "no node is",
    { claimLabels: { "karpenter.sh/capacity-type": "on-demand" } },
    /NodePool default may launch spot/,
  ],
  [
    "spot",
    "no pool allows it",
    {
      claimLabels: { "karpenter.sh/capacity-type": "on-demand" },
      requirements: [{ key: "karpenter.sh/capacity-type", operator: "NotIn", values: ["spot"] }],
    },
    /no NodePool may launch spot; add spot/,
  ],
  [
    "tags for cost allocation",
    "a class has none",
    { nodeClass: {} },
    /no tags: EC2NodeClass\/default; spec\.tags.*Billing/,
  ],
  ["start-up of nodes", "none can be seen", { startUps: [] }, /--yes, with --kubeconfig, starts a pod/],
  ["start-up of pods", "no pod waited for a node", { pods: [] }, /--yes, with --kubeconfig, starts a pod/],
];

describe("the checks after an upgrade", () => {
  test("all pass on a cluster that is as it should be, with the times that workloads must allow for", () => {
    expect(checksOf({}).map(checkText)).toEqual([
      "pass  test workload: pods on nodes of NodeClaims: 1 run",
      "pass  nodeclaims: NodeClaims: 3, all Ready, each with type, capacity, zone and node",
      "pass  IMDSv2: every node class takes IMDSv2 alone",
      "pass  pinned alias: no alias moves by itself",
      "pass  interruption handling: EC2's warnings reach the function",
      "pass  spot: 3 of 3 NodeClaims are spot",
      "pass  tags for cost allocation: every node class has tags of its own",
      "pass  start-up of nodes: nodes: 3, 50 s in the middle, 75 s at the longest; allow workloads that much",
      "pass  start-up of pods: pods that waited for a node: 1, 60 s in the middle, 60 s at the longest; allow workloads that much",
    ]);
  });

  test.each(unmet)("%s does not pass when %s, and says how it will", (name, _, change, words) => {
    const check = checksOf(change).find((one) => one.name === name);
    expect(check).toMatchObject({ passed: false, fix: expect.stringMatching(/./) });
    expect(check === undefined ? "" : checkText(check)).toMatch(words);
  });

  test("a pod that came to a node that was there says nothing of the time that a node takes", () => {
    const late = pod("c0.ec2.internal", 500);
    const pods = [{ ...late, metadata: { ...late.metadata, creationTimestamp: at(400) } }];
    expect(checksOf({ pods }).find(({ name }) => name === "start-up of pods")?.passed).toBe(false);
  });
});

describe("the workload that the command starts", () => {
  const about = { name: "default/outrigger-test-1", pool: "default", nodesBefore: ["n0"] };
  test.each<readonly [TestedWorkload, RegExp]>([
    [
      { kind: "ran", node: "n1", seconds: 48, ...about },
      /^pass {2}.*ran on the new node n1 of NodePool default after 48 s, and is removed/,
    ],
    [{ kind: "ran", node: "n0", seconds: 2, ...about }, /^pass .*ran on node n0, which was there and empty, of/],
    [
      { kind: "failed", found: "the pod does not run after 600 s", ...about },
      /^todo {2}.*after 600 s; it is removed; kubectl get events/,
    ],
    [{ kind: "none", isLive: true, pool: "default" }, /^todo {2}.*--yes starts one on a new node of NodePool default/],
    [{ kind: "none", isLive: true, pool: undefined }, /^todo {2}.*no NodePool is Ready/],
  ])("of the workload %j it says what became of it, or what would", (tested, words) => {
    const [check] = afterUpgrade(viewOf({ pods: [] }), "on", tested);
    expect(check === undefined ? "" : checkText(check)).toMatch(words);
  });
});
