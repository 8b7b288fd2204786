import { describe, expect, test } from "vitest";
import type { Explanation } from "../../cli/explain/explanation.ts";
import { deployment, lookedAt, nodeClass, nodeWithClaim, pod, pool } from "../support/looked-at.ts";

async function explained(
  manifests: string,
  kind: string,
  name: string,
): Promise<Explanation & { readonly code: number }> {
  const { code, out, error } = await lookedAt(manifests, "explain", kind, name, "--json");
  if (out === "") throw new Error(error);
  return { ...(JSON.parse(out) as Explanation), code };
}

const rowsOf = ({ sections }: Explanation, title: string): readonly string[] =>
  sections.find((section) => section.title.startsWith(title))?.rows ?? [];

describe("outrigger explain pod", () => {
  const world = pool("cheap", "  weight: 10\n  limits: {cpu: 1}\n") + pool("large") + nodeClass;

  test("names the claim it waits for, and of each NodePool, the heaviest first, what it could do", async () => {
    const answer = await explained(pod("a", "3") + world, "pod", "a");
    expect(answer).toMatchObject({ kind: "Pod", name: "default/a", found: false, code: 0 });
    expect(answer.verdict).toMatch(/^should schedule on a new node: NodeClaim large-\w{8} of NodePool large$/);
    expect(rowsOf(answer, "NodePools")).toEqual([
      expect.stringMatching(
        /^cheap \(weight 10\): its limit is reached: cpu \(1 of 1 left, the smallest fitting type takes 4\)$/,
      ),
      expect.stringMatching(/^large: could make a node for it alone: \S+ on-demand in \S+ at \$\d/),
    ]);
    expect(rowsOf(answer, "It asks for")).toEqual(["cpu 3, pods 1"]);
    expect(rowsOf(answer, "That NodeClaim")[0]).toBe("for 1 pod");
  });

  test("without a place ends with 1 and tells the reason once for all and pool by pool", async () => {
    const answer = await explained(pod("a", "500") + world, "pod", "default/a");
    expect(answer).toMatchObject({ found: true, code: 1 });
    expect(answer.verdict).toMatch(/^has no place: NodePool cheap: cpu 500 is wanted/);
    expect(rowsOf(answer, "NodePools")).toHaveLength(2);
  });

  test("tells what the nodes that are there lack", async () => {
    const manifests = pod("a", "3") + nodeWithClaim("n1", "large", "2") + world;
    const answer = await explained(manifests, "pod", "a");
    expect(rowsOf(answer, "Nodes that are there")).toEqual([
      expect.stringMatching(/^1 without room \(cpu: 3 wanted, at most 2 free\)$/),
    ]);
  });

  test.each([
    ["that has its node", pod("a", "1") + nodeWithClaim("n1", "large", "2"), /^has its node: n1$/],
    [
      "behind a gate",
      pod("a", "1", "  schedulingGates: [{name: wait}]\n"),
      /^is not up for scheduling before its gates go: wait$/,
    ],
    [
      "that is left to others",
      pod(
        "a",
        "1",
        "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: karpenter.sh/nodepool, operator: DoesNotExist}]}]}}}\n",
      ),
      /is left to others$/,
    ],
    [
      "of another scheduler",
      pod("a", "1", "  schedulerName: volcano\n"),
      /^its scheduler volcano has not marked it Unschedulable, and before that no node is made for it$/,
    ],
    [
      "with a missing volume",
      pod("a", "1", "  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]\n"),
      /^has no place: its PersistentVolumeClaim default\/c does not exist$/,
    ],
  ])("%s is told so", async (_, manifests, verdict) => {
    expect((await explained(manifests + world, "pod", "a")).verdict).toMatch(verdict);
  });
});

test("outrigger explain says which pool it looked at where the manifests have none", async () => {
  const { out } = await lookedAt(pod("a", "1"), "explain", "pod", "a");
  expect(out).toMatch(/^note: no NodePool among the manifests: the demo's .*\n\nPod default\/a: /);
  expect(await explained(pod("a", "1"), "pod", "a")).toMatchObject({ notes: [expect.stringMatching(/^no NodePool/)] });
});

describe("outrigger explain of others", () => {
  const world = nodeWithClaim("n1", "mine", "2") + pool("mine", "  limits: {cpu: 100}\n") + nodeClass;

  test("a node: machine, price, claim, room and pods", async () => {
    const answer = await explained(pod("a", "1500m") + world, "node", "n1");
    expect(answer.verdict).toMatch(
      /^m6i.large on-demand us-east-1a, \$0\.\d{4} an hour, NodeClaim claim-n1, NodePool mine$/,
    );
    expect(rowsOf(answer, "Room")).toContain(
      "cpu: 2 allocatable, 1.5 asked for by its pods, 0.5 free after daemons to come",
    );
    expect(rowsOf(answer, "Pods")).toEqual(["default/a (cpu 1.5, memory 0)"]);
  });

  test("a NodePool: limits, types, and what each budget allows now", async () => {
    const answer = await explained(world, "nodepool", "mine");
    expect(answer).toMatchObject({ found: false, code: 0, verdict: "is ready (no weight)" });
    expect(rowsOf(answer, "Limits")).toEqual(["cpu: 2 of 100 used"]);
    expect(rowsOf(answer, "Instance types")[0]).toMatch(
      /^\d+ in its node class, \d+ meet its requirements, \d+ of them can be had$/,
    );
    expect(rowsOf(answer, "Nodes that may be disrupted now (")).toEqual(
      ["Empty        ", "Drifted      ", "Underutilized"].map(
        (reason) => `${reason}  1: budgets[0] allows 1 at a time of 1 initialized nodes`,
      ),
    );
    expect(rowsOf(answer, "Disruption budgets")).toEqual(["[0] nodes 10% for every reason, always: in force now"]);
  });

  test("a NodePool whose class is missing is not ready, and that ends with 1", async () => {
    const answer = await explained(pool("mine"), "nodepool", "mine");
    expect(answer).toMatchObject({ found: true, code: 1 });
    expect(answer.verdict).toMatch(/^is not ready: /);
  });

  test("a NodeClaim that is there, by its conditions", async () => {
    const answer = await explained(world, "nodeclaim", "claim-n1");
    expect(answer.verdict).toBe("is up (m6i.large on-demand us-east-1a, node n1) of NodePool mine");
    expect(rowsOf(answer, "Conditions")).toContain("Initialized True");
  });

  test("a NodeClaim that would be made, by the name that the plan gives it", async () => {
    const manifests = deployment("web", 4, "1") + world;
    const plan = await lookedAt(manifests, "plan", "--json");
    const name = (JSON.parse(plan.out) as { claims: { name: string }[] }).claims[0]?.name ?? "";
    const answer = await explained(manifests, "nodeclaim", name);
    expect(answer.verdict).toMatch(/^would be made for (pod|\d pods:) .*, from NodePool mine$/);
    expect(rowsOf(answer, "Instance types")).toHaveLength(1);
  });

  test.each([
    ["pod", "nobody", /no pod is called nobody; there are default\/a/],
    ["nodepool", "nobody", /no nodepool is called nobody; there are mine/],
  ])("an unknown %s ends with 2 and names those that there are", async (kind, name, text) => {
    const { code, error, out } = await lookedAt(pod("a", "1") + world, "explain", kind, name);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toMatch(text);
  });

  test("the text has a title for each part", async () => {
    const { out } = await lookedAt(pod("a", "1") + world, "explain", "node", "n1");
    expect(out).toMatch(/^note: 1 Node .*\n\nNode n1: .*\n\nRoom:\n {2}cpu: /);
  });
});
