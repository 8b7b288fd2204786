import { expect } from "vitest";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import { startStandInFor } from "../support/stand-in-for-cluster.ts";
import { typed } from "../support/typed.ts";
import { settings, type World } from "../support/world.ts";

const dry = "npx outrigger doctor --after-upgrade --kubeconfig ~/.kube/config";
const checked = "npx outrigger doctor --after-upgrade --kubeconfig ~/.kube/config --yes";

/** The command's own workload, so that no other pool may be there that it would choose. */
export function afterUpgrade(world: () => World): void {
  const title = "outrigger doctor --after-upgrade starts a workload on a new node, looks while it runs, and removes it";
  scenario(world, "upgraded", title, async (upgraded) => {
    const { controlPlane } = world().real;
    const standIn = await startStandInFor(controlPlane, settings.clusterName, "node-role");
    try {
      const account = {
        ...{ AWS_REGION: standIn.region, AWS_ENDPOINT_URL: standIn.endpoint },
        ...{ AWS_ACCESS_KEY_ID: "AKIDPERSON", AWS_SECRET_ACCESS_KEY: "not-a-secret" },
      };
      const eks = ` --eks-cluster ${settings.clusterName} --region ${standIn.region}`;
      const outrigger = (command: string) => typed(`${command}${eks}`, controlPlane.kubeconfig, account);
      await upgraded.apply(upgraded.pool(), upgraded.deployment(1));
      await upgraded.eventuallyRunning(1);
      const would = await outrigger(dry);
      expect([would.code, would.error]).toEqual([1, ""]);
      expect(would.out).toMatch(/^pass {2}test workload: pods on nodes of NodeClaims: 1 run$/m);

      const { code, out, error } = await outrigger(`${checked} --wait 2m`);
      expect(error).toMatch(/^pod default\/outrigger-test-\w+ is started for a new node of NodePool upgraded/);
      expect(out).toMatch(
        /^pass {2}test workload: pod \S+ ran on the new node \S+ of NodePool upgraded after \d+ s, and is removed$/m,
      );
      expect(out).toMatch(/^pass {2}nodeclaims: NodeClaims: 2, all Ready/m);
      expect(out).toMatch(/^pass {2}start-up of nodes: nodes: 2, /m);
      expect(out).toMatch(/^pass {2}start-up of pods: pods that waited for a node: 2, /m);
      // Nothing of a deployment is in this account, and the pool makes no spot nodes.
      expect(code).toBe(1);
      expect(upgraded.instances()).toHaveLength(2);
      await eventually("the pod is gone", async () => (await upgraded.pods("outrigger-test")).length === 0);
      const late = await outrigger(`${checked} --wait 1s`);
      expect(late.out).toMatch(
        /^todo {2}test workload: \S+ on NodePool upgraded: the pod does not run after \d s; .* it is removed;/m,
      );
      await eventually("that pod is gone too", async () => (await upgraded.pods("outrigger-test")).length === 0);
    } finally {
      await standIn.stop();
    }
    await upgraded.scale(0);
    await upgraded.eventuallyEmpty();
  });
}
