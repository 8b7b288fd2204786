import { describe, expect, test } from "vitest";
import { simulatedAccount, startMs } from "../../../../test/support/simulated-account.ts";
import { noDelays } from "./delays.ts";

const slow = {
  ...noDelays,
  pendingMs: [5_000, 5_000],
  bootMs: [20_000, 20_000],
  shuttingDownMs: [30_000, 30_000],
} as const;

describe("spot interruptions", () => {
  test("a spot interruption warns, ends two minutes later, and its pool is short meanwhile", async () => {
    const { clock, ec2, launch, log } = await simulatedAccount({ delays: slow });
    await launch();
    await clock.runUntil(startMs + 60_000);
    log.length = 0;
    ec2.interrupt(ec2.instances()[0]?.id ?? "");
    expect(await launch()).toMatchObject({ kind: "failed", fault: { kind: "insufficient-capacity" } });
    await clock.runUntil(startMs + 600_000);
    expect(log).toEqual([
      "60 EC2 Spot Instance Interruption Warning",
      "180 shutting-down",
      "210 gone",
      "210 terminated",
    ]);
    await clock.runUntil(startMs + 700_000);
    expect((await launch()).kind).toBe("done");
  });

  test("seeded interruptions come only to spot instances, each with a recommendation before its warning", async () => {
    const { clock, launch, messages } = await simulatedAccount({ interruptionsPerHour: 6 });
    for (let i = 0; i < 10; i++) await launch();
    const [onDemand] = [await launch({ capacityType: "on-demand" })];
    await clock.runUntil(startMs + 24 * 3_600_000);
    const kinds = (id: unknown) =>
      messages.filter(({ detail }) => detail["instance-id"] === id).map((m) => m["detail-type"]);
    const spot = [...new Set(messages.map(({ detail }) => detail["instance-id"]))].filter(
      (id) => onDemand?.kind !== "done" || id !== onDemand.instance?.id,
    );
    expect(spot).toHaveLength(10);
    for (const id of spot) {
      const told = kinds(id).filter((kind) => kind !== "EC2 Instance State-change Notification");
      expect(told).toEqual(["EC2 Instance Rebalance Recommendation", "EC2 Spot Instance Interruption Warning"]);
    }
    expect(onDemand?.kind === "done" ? kinds(onDemand.instance?.id) : []).not.toContain(
      "EC2 Spot Instance Interruption Warning",
    );
  });
});
