import { expect } from "vitest";
import type { Command } from "#core/command.ts";
import { storageClass, volume, volumeClaim } from "../support/fake-csi.ts";
import { deployment } from "../support/manifests.ts";
import { eventually } from "../support/real-cluster.ts";
import { scenario } from "../support/scenario.ts";
import type { World } from "../support/world.ts";

const title = "a pod goes where its volume is, a volume is made where its pod goes, and both move together";

/** Volumes live in zones, and leave a node before its machine goes. */
export function volumes(world: () => World): void {
  scenario(world, "volumes", title, async (disks) => {
    const using = (claimName: string): object =>
      deployment(claimName, "volumes", 1, { volumes: [{ name: "data", persistentVolumeClaim: { claimName } }] });
    await disks.apply(
      ...[storageClass("bound", "Immediate"), storageClass("late", "WaitForFirstConsumer", ["us-east-1c"])],
      volume("vol-b", "us-east-1b", { storageClassName: "bound" }),
      ...[using("bound"), volumeClaim("bound", { storageClassName: "bound", volumeName: "vol-b" })],
      ...[using("late"), volumeClaim("late", { storageClassName: "late" }), disks.pool()],
    );
    await disks.eventuallyRunning(1, "bound");
    await disks.eventuallyRunning(1, "late");
    expect(await disks.zonesOf("bound")).toEqual(["us-east-1b"]);
    expect(await disks.zonesOf("late")).toEqual(["us-east-1c"]);
    await disks.nothingMoreIsLaunched();
    expect(await disks.claims()).toHaveLength(2);

    const nodeName = (await disks.pods("bound"))[0]?.spec.nodeName;
    await eventually("the volume is attached", async () =>
      (await world().kubectl("get", "volumeattachments", "-o", "wide")).includes(nodeName ?? "no node"),
    );
    const claim = (await disks.claims()).find(({ status }) => status?.nodeName === nodeName);
    const instanceId = claim?.status?.providerID?.split("/").at(-1);
    const isEnded = (): boolean =>
      disks.steps().some(({ command }) => command.kind === "terminate-instance" && command.instanceId === instanceId);
    world().csi.holds = true;
    try {
      await world().admin.delete("NodeClaim", claim?.metadata.name ?? "");
      await eventually("the node waits for its volume", async () =>
        disks.steps().some(({ command }) => isWaiting(command, claim?.metadata.name)),
      );
      expect(isEnded()).toBe(false);
    } finally {
      world().csi.holds = false;
    }
    await disks.eventuallyGone(claim);
    expect(isEnded()).toBe(true);
    await disks.eventuallyRunning(1, "bound");
    expect(await disks.zonesOf("bound")).toEqual(["us-east-1b"]);
  });
}

function isWaiting(command: Command, name: string | undefined): boolean {
  if (command.kind !== "patch-status" || command.target.name !== name) return false;
  return JSON.stringify(command.status).includes("AwaitingVolumeDetachment");
}
