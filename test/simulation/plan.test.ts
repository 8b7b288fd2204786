import { describe, expect, test } from "vitest";
import type { PlanDocument } from "../../cli/plan/document.ts";
import { deployment, lookedAt, nodeClass, nodeWithClaim, pod, pool } from "../support/looked-at.ts";
import { outrigger } from "./command-line.ts";

async function planned(manifests: string): Promise<{ readonly code: number; readonly plan: PlanDocument }> {
  const { code, out, error } = await lookedAt(manifests, "plan", "--json");
  if (out === "") throw new Error(error);
  return { code, plan: JSON.parse(out) as PlanDocument };
}

describe("outrigger plan", () => {
  test("says of every pod of a workload where it would go, with what the node costs and what comes next", async () => {
    const { code, plan } = await planned(deployment("web", 3, "1") + pool("mine") + nodeClass);
    expect(code).toBe(0);
    expect(plan.claims.flatMap(({ pods }) => pods)).toHaveLength(3);
    for (const claim of plan.claims) {
      expect(claim).toMatchObject({ nodePool: "mine", capacityTypes: ["on-demand"] });
      expect(claim.instanceTypes[0]).toBe(claim.cheapest.instanceType);
      expect(claim.runnerUp?.pricePerHour).toBeGreaterThanOrEqual(claim.cheapest.pricePerHour);
    }
    const perHour = plan.claims.reduce((total, { cheapest }) => total + cheapest.pricePerHour, 0);
    expect(plan.cost.plannedPerHour).toBeCloseTo(perHour, 4);
    expect([plan.cost.nowPerHour, plan.cost.unpriced]).toEqual([0, []]);
  });

  test("a pod without a place ends with 1 and one reason with the numbers", async () => {
    const { code, plan } = await planned(pod("fits", "1") + pod("huge", "500") + pool("mine") + nodeClass);
    expect(code).toBe(1);
    expect(plan.unschedulable).toEqual([
      { pods: ["default/huge"], reason: expect.stringMatching(/^NodePool mine: cpu 500 is wanted, .*short/) },
    ]);
    expect(plan.claims.flatMap(({ pods }) => pods)).toEqual(["default/fits"]);
  });

  test("pods that fit a node of the manifests need no other, and the node's price counts", async () => {
    const manifests = pod("small", "1") + nodeWithClaim("n1", "mine", "2") + pool("mine") + nodeClass;
    const { code, plan } = await planned(manifests);
    expect([code, plan.claims]).toEqual([0, []]);
    expect(plan.cost.nowPerHour).toBeGreaterThan(0);
    expect(plan.cost.plannedPerHour).toBe(plan.cost.nowPerHour);
    expect(plan.findings).toEqual(["NodeClaim claim-n1: Underutilized: it goes in 15 s if that still holds"]);
  });

  test("a machine of the manifests is taken to run: nothing of it is collected", async () => {
    const { plan } = await planned(pod("big", "8") + nodeWithClaim("n1", "mine", "2") + pool("mine") + nodeClass);
    expect(plan.claims.map(({ pods }) => pods)).toEqual([["default/big"]]);
    expect(plan.cost.plannedPerHour).toBeGreaterThan(plan.cost.nowPerHour);
    expect(plan.findings).toEqual(["NodeClaim claim-n1: Empty: it goes in 15 s if that still holds"]);
  });

  test("pods behind a scheduling gate and NodePools that are not ready are told", async () => {
    const gated = pod("gated", "1", "  schedulingGates: [{name: example.com/wait}]\n");
    const { code, plan } = await planned(gated + pod("a", "1") + pool("mine"));
    expect(code).toBe(1);
    expect(plan.gated).toEqual([
      { pods: ["default/gated"], reason: "its scheduling gate example.com/wait must go first" },
    ]);
    expect(plan.unschedulable.map(({ reason }) => reason)).toEqual([expect.stringMatching(/no NodePool is ready/)]);
    expect(plan.findings).toEqual([expect.stringMatching(/^NodePool mine: /)]);
  });

  test("a pod of another scheduler waits for that one's verdict", async () => {
    const { code, plan } = await planned(pod("a", "1", "  schedulerName: volcano\n") + pool("mine") + nodeClass);
    expect([code, plan.claims]).toEqual([0, []]);
    expect(plan.gated).toEqual([
      { pods: ["default/a"], reason: "its scheduler volcano must mark it Unschedulable first" },
    ]);
  });

  test("its text begins with what it says, and has no two blank lines", async () => {
    const { out } = await lookedAt(pod("huge", "500") + pool("mine") + nodeClass, "plan");
    expect(out).toMatch(/^No place:\n/);
    const { out: noted } = await lookedAt(pod("huge", "500"), "plan");
    expect(noted).toMatch(/^note: .*\n\nNo place:\n/);
  });
});

describe("a node of a dump, whose image the simulated account does not have,", () => {
  const machine = nodeWithClaim("n1", "mine", "2").replace(
    "  nodeName: n1",
    "  nodeName: n1\n  imageID: ami-elsewhere",
  );
  const manifests =
    pod("a", "1").replace("\nspec:\n", "\nspec:\n  nodeName: n1\n") + machine + pool("mine") + nodeClass;

  test("is not taken for drifted, and the note says that this cannot be told", async () => {
    const { plan } = await planned(manifests);
    expect(plan.findings.filter((text) => text.includes("Drifted")).join("; ")).toBe("");
    expect(plan.notes).toContainEqual(expect.stringMatching(/AMIDrift of NodeClaim claim-n1 cannot be told/));
  });

  test("stays drifted where the dump says so, and what comes for it is named", async () => {
    const at = "2026-10-27T07:00:00Z";
    const drift = `{type: Drifted, status: "True", reason: AMIDrift, message: "", lastTransitionTime: "${at}"}`;
    const { plan } = await planned(manifests.replace("{type: Launched,", `${drift}, {type: Launched,`));
    expect(plan.findings).toEqual([
      expect.stringMatching(/^NodeClaim claim-n1: Drifted: AMIDrift, m6i.large runs ami-elsewhere/),
      expect.stringMatching(/^NodeClaim claim-n1: Drifted: this node goes when a replacement is ready/),
      expect.stringMatching(/^NodeClaim mine-\w{8}: to replace claim-n1, for 1 pod: /),
    ]);
    const [, before = "", after = ""] = /\$(\S+) an hour before, \$(\S+) after/.exec(plan.findings[1] ?? "") ?? [];
    expect([plan.cost.nowPerHour, plan.cost.plannedPerHour]).toEqual([Number(before), Number(after)]);
  });
});

describe("what outrigger plan prints", () => {
  test("the same manifests give the same plan, byte for byte", async () => {
    const manifests = deployment("web", 20, "1500m") + pool("mine") + nodeClass;
    const [first, second] = [await lookedAt(manifests, "plan", "--json"), await lookedAt(manifests, "plan", "--json")];
    expect(second.out).toBe(first.out);
  });

  test("the text names claim, types, price and cost", async () => {
    const { out, code } = await lookedAt(pod("a", "1") + pod("huge", "500") + pool("mine") + nodeClass, "plan");
    expect(code).toBe(1);
    expect(out).toMatch(/^New NodeClaim mine-\w{8} of NodePool mine for pod default\/a$/m);
    expect(out).toMatch(/^ {2}cheapest \S+ on-demand in us-east-1\w at \$\d+\.\d{4}; next /m);
    expect(out).toMatch(/^No place:\n {2}Pod default\/huge: NodePool mine: cpu 500/m);
    expect(out).toMatch(/^cost per hour: \$0\.0000 now, \$0\.\d{4} with the plan/m);
  });

  test.each([
    [["plan"], "name manifests with -f PATH"],
    [["plan", "-f", "/no/such.yaml"], "/no/such.yaml: no such file or directory"],
  ])("%j ends with 2 and says why", async (words, text) => {
    const { code, error, out } = await outrigger(...words);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain(text);
  });
});
