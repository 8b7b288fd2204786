import { describe, expect, test } from "vitest";
import { MigrationWorld } from "../../../test/support/migration-world.ts";
import { stepsBack, stepsForth } from "./steps.ts";

describe("on the way back", () => {
  test.each<readonly [string, (world: MigrationWorld) => void, RegExp]>([
    [
      "no Deployment",
      (world) => {
        world.api.delete("Deployment", "karpenter", "kube-system");
      },
      /no Deployment of Karpenter is there: `helm/,
    ],
    [
      "claims in flight",
      (world) => {
        world.api.patchStatus("NodeClaim", "claim-a", undefined, { conditions: [] });
      },
      /not initialized: claim-a; wait until the loop/,
    ],
    [
      "a node that the loop is about to end",
      (world) =>
        world.load({
          ...{ apiVersion: "v1", kind: "Node", metadata: { name: "claim-a.ec2.internal" } },
          spec: { taints: [{ key: "karpenter.sh/disrupted", effect: "NoSchedule" }] },
        }),
      /about to be disrupted: claim-a; wait until the loop/,
    ],
    [
      "rights that are missing, and those of the way back alone",
      (world) => {
        world.raw.may = async ({ verb }) => verb === "get" || verb === "list";
      },
      /may not create configmaps in kube-system, patch configmaps in kube-system, patch deployments\.apps in kube-system:/,
    ],
  ])("it is refused for %s", async (_, change, words) => {
    const world = new MigrationWorld();
    await world.run(stepsForth);
    change(world);
    const end = await world.run(stepsBack);
    expect(end.kind === "stopped" ? end.problems.join("\n") : "").toMatch(words);
    expect(world.state().pause).toBeUndefined();
  });
});
