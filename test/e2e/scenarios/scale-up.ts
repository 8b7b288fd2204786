import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { deployment, nodePool, type World } from "../support/world.ts";

const run = promisify(execFile);

/** Nodes come for pods, and go with them. */
export function scaleUp(world: () => World): void {
  test("pods that do not fit get nodes, run, and take their nodes with them when they go", async () => {
    await world().apply(nodePool("first"), deployment("web", "first", 5));
    await world().eventuallyRunning("web", 5);
    const claims = await world().claims();
    for (const { status } of claims) {
      expect(status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "True" });
    }
    for (const { spec, metadata } of await world().nodes()) {
      expect(spec.taints?.map(({ key }) => key)).toEqual(["scenario"]);
      expect(metadata.labels).toMatchObject({ "karpenter.sh/registered": "true", "karpenter.sh/initialized": "true" });
      expect(metadata.finalizers).toContain("karpenter.sh/termination");
    }
    const wide = await run("kubectl", [
      "--kubeconfig",
      world().real.controlPlane.kubeconfig,
      "get",
      "nodepools,nodeclaims,ec2nodeclasses",
      "-o",
      "wide",
    ]);
    expect(wide.stdout).toMatch(/nodeclaim\.karpenter\.sh\/first-\w+ +\S+ +on-demand +us-east-1\w +\S+ +True/);
    await world().admin.patch("Deployment", "web", "default", { spec: { replicas: 0 } }, "scale");
    await world().eventuallyEmpty();
  });

  test("two hundred pods at once are placed at once, and nothing is launched afterwards", async () => {
    await world().apply(
      nodePool("many"),
      deployment("web", "many", 200, {
        containers: [{ name: "main", image: "none", resources: { requests: { cpu: "100m", memory: "100Mi" } } }],
      }),
    );
    await world().eventuallyRunning("web", 200);
    const launched = world().ec2.instances().length;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(world().ec2.instances().length).toBe(launched);
  });
}
