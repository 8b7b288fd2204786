import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

const program = fileURLToPath(new URL("../../../cli/outrigger.mjs", import.meta.url));

/** As a person types it; answers what it prints, and throws where it does not end with 0. */
function typed(command: string, kubeconfig: string): Promise<string> {
  const words = command.replace("npx outrigger ", "").replace("~/.kube/config", kubeconfig).split(" ");
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "pipe", "pipe"] });
    const texts = { out: "", error: "" };
    child.stdout.on("data", (chunk: Buffer) => {
      texts.out += chunk.toString("utf8");
    });
    child.stderr.on("data", (chunk: Buffer) => {
      texts.error += chunk.toString("utf8");
    });
    child.once("close", (code) => (code === 0 ? resolve(texts.out) : reject(new Error(`${code}: ${texts.error}`))));
  });
}

const forAWhile = "npx outrigger pause --kubeconfig ~/.kube/config --for 2h";
const everything = "npx outrigger pause --kubeconfig ~/.kube/config --all";
const resume = "npx outrigger resume --kubeconfig ~/.kube/config";

/** The whole cluster rests, so that nobody else may be there. */
export function pause(world: () => World): void {
  const outrigger = (command: string): Promise<string> => typed(command, world().real.controlPlane.kubeconfig);

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
