import { describe, expect, test } from "vitest";
import { simulatedAccount, startMs, usualQuery } from "../../../../test/support/simulated-account.ts";
import { noDelays } from "./delays.ts";

const slow = {
  ...noDelays,
  pendingMs: [5_000, 5_000],
  bootMs: [20_000, 20_000],
  shuttingDownMs: [30_000, 30_000],
} as const;

describe("SimulatedEc2: the life of an instance", () => {
  test("a machine boots with the template's labels, and its address is its node's name", async () => {
    const { clock, booted, launch, log } = await simulatedAccount({ delays: slow });
    await launch();
    await clock.runUntil(startMs + 60_000);
    expect(log).toEqual(["0 pending", "5 running", "20 booted"]);
    expect(booted[0]).toMatchObject({
      instanceType: "m5.large",
      zone: "us-east-1a",
      region: "us-east-1",
      arch: "amd64",
      os: "linux",
      bootstrap: { labels: { "karpenter.sh/nodepool": "default" } },
    });
    expect(booted[0]?.nodeName).toMatch(/^ip-10-0-\d+-\d+\.ec2\.internal$/);
    expect(booted[0]?.providerID).toBe(`aws:///us-east-1a/${booted[0]?.instanceId}`);
  });

  test("what is terminated before it has booted never joins", async () => {
    const { clock, ec2, launch, log } = await simulatedAccount({ delays: slow });
    await launch();
    await clock.runUntil(startMs + 10_000);
    await ec2.apply({ kind: "terminate-instance", instanceId: ec2.instances()[0]?.id ?? "" });
    await clock.runUntil(startMs + 90_000);
    expect(log).toEqual(["0 pending", "5 running", "10 shutting-down", "40 gone", "40 terminated"]);
  });

  test("reads lag behind both ways: a fresh instance is missing, a terminated one still runs", async () => {
    const { clock, ec2, launch } = await simulatedAccount({ delays: { ...noDelays, staleMs: [20_000, 20_000] } });
    const states = async () => (await ec2.observe(usualQuery)).instances.map(({ state }) => state);
    await launch();
    const [record] = ec2.instances();
    const instanceId = record?.id ?? "";
    expect(await states()).toEqual([]);
    expect(await ec2.apply({ kind: "terminate-instance", instanceId })).toMatchObject({ fault: { kind: "not-found" } });
    await clock.runUntil(startMs + 30_000);
    expect(await states()).toEqual(["running"]);
    await ec2.apply({ kind: "terminate-instance", instanceId });
    await clock.runUntil(startMs + 45_000);
    expect(await states()).toEqual(["running"]);
    await clock.runUntil(startMs + 55_000);
    expect(await states()).toEqual(["terminated"]);
    await clock.runUntil(startMs + 30_000 + noDelays.terminatedListedMs + 20_001);
    expect(await states()).toEqual([]);
  });

  test("two runs of one seed are the same, and another seed is another", async () => {
    const run = async (seed: number) => {
      const { clock, ec2, launch, wait, log } = await simulatedAccount({ seed, delays: {}, interruptionsPerHour: 30 });
      const option = { zone: "us-east-1b", pricePerHour: 0.04, launchTemplate: "t" };
      const options = ["m5.large", "m5a.large", "c5.xlarge", "r5.large"].map((instanceType) => ({
        ...option,
        instanceType,
      }));
      for (let i = 0; i < 5; i++) await wait(launch({ options }));
      await clock.runUntil(startMs + 3_600_000);
      return [log, ec2.bill()];
    };
    expect(await run(4)).toEqual(await run(4));
    expect(await run(4)).not.toEqual(await run(5));
  });
});
