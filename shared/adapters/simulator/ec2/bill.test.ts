import { describe, expect, test } from "vitest";
import { simulatedAccount, startMs, usualQuery } from "../../../../test/support/simulated-account.ts";
import { noDelays } from "./delays.ts";

const slow = {
  ...noDelays,
  pendingMs: [5_000, 5_000],
  bootMs: [20_000, 20_000],
  shuttingDownMs: [30_000, 30_000],
} as const;

describe("billOf", () => {
  test("the bill counts seconds while an instance runs, at the price of its launch", async () => {
    const { clock, ec2, launch } = await simulatedAccount({ delays: slow });
    await launch({ capacityType: "on-demand" });
    await clock.runUntil(startMs + 3_605_000);
    const [line] = ec2.bill().byInstance;
    expect(line).toMatchObject({ capacityType: "on-demand", pricePerHour: 0.096, seconds: 3_600, isUp: true });
    expect(ec2.bill()).toMatchObject({ perHour: 0.096, byCapacityType: { "on-demand": { perHour: 0.096 } } });
    expect(ec2.bill().total).toBeCloseTo(0.096, 10);
    await ec2.apply({ kind: "terminate-instance", instanceId: line?.instanceId ?? "" });
    await clock.runUntil(startMs + 7_200_000);
    expect(ec2.bill()).toMatchObject({ perHour: 0 });
    expect(ec2.bill().total).toBeCloseTo(0.096, 10);
  });

  test("an instance stopped by hand stays, costs nothing more, and its machine is gone", async () => {
    const { clock, ec2, launch, log } = await simulatedAccount({ delays: slow });
    await launch({ capacityType: "on-demand" });
    await clock.runUntil(startMs + 3_605_000);
    log.length = 0;
    ec2.endByHand(ec2.instances()[0]?.id ?? "", "stop");
    await clock.runUntil(startMs + 7_200_000);
    expect(log).toEqual(["3605 gone", "3605 stopping", "3635 stopped"]);
    expect((await ec2.observe(usualQuery)).instances.map(({ state }) => state)).toEqual(["stopped"]);
    expect(ec2.bill().perHour).toBe(0);
    expect(ec2.bill().total).toBeCloseTo(0.096, 10);
  });
});
