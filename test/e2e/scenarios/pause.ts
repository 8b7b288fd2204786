import { expect } from "vitest";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import { typed } from "../support/typed.ts";
import type { World } from "../support/world.ts";

const forAWhile = "npx outrigger pause --kubeconfig ~/.kube/config --for 2h";
const everything = "npx outrigger pause --kubeconfig ~/.kube/config --all";
const resume = "npx outrigger resume --kubeconfig ~/.kube/config";

/** The whole cluster rests, so that nobody else may be there. */
export function pause(world: () => World): void {
  const outrigger = async (command: string): Promise<string> => {
    const { code, out, error } = await typed(command, world().real.controlPlane.kubeconfig);
    expect([code, error]).toEqual([0, ""]);
    return out;
  };

  const title = "outrigger pause makes and takes no node and says so; resume places the pods; --all stops drains too";
  scenario(world, "resting", title, async (resting) => {
    try {
      expect(await outrigger(forAWhile)).toMatch(/^Outrigger is paused until .*: no node/);
      await resting.apply(resting.pool(), resting.deployment(1));
      await eventually("an event on the pod says so", async () => {
        const selector = { namespace: "default", fieldSelector: "reason=FailedScheduling" };
        const events = await world().admin.list("Event", selector);
        const texts = events.kind === "refused" ? [] : events.object.items.map((event) => JSON.stringify(event));
        return texts.some((text) => text.includes("Outrigger is paused until") && text.includes("resting-"));
      });
      expect(await world().kubectl("describe", "nodepool", "resting")).toMatch(/Warning +Paused .*outrigger resume/);
      expect(resting.instances()).toEqual([]);

      expect(await outrigger(resume)).toMatch(/^Outrigger goes on/);
      await resting.eventuallyRunning(1);
      await outrigger(everything);
      // It holds from the next tick on.
      await resting.nothingMoreIsLaunched();
      const [claim] = await resting.claims();
      await world().admin.delete("NodeClaim", claim?.metadata.name ?? "");
      await resting.nothingMoreIsLaunched();
      expect(await resting.running()).toBe(1);
      expect(await resting.claims()).toHaveLength(1);
    } finally {
      expect(await outrigger(resume)).toMatch(/^Outrigger/);
    }
    await resting.scale(0);
    await resting.eventuallyEmpty();
    expect(await outrigger(resume)).toBe("Outrigger was not paused\n");
  });
}
