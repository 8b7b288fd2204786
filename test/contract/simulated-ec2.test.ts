import { embeddedCatalogue } from "#simulator/ec2/embedded-catalogue.ts";
import { throttled } from "#simulator/ec2/fault-script.ts";
import { SimulatedEc2 } from "#simulator/ec2/simulated-ec2.ts";
import { VirtualClock } from "#simulator/virtual-clock.ts";
import { type CloudUnderTest, cloudContract } from "./cloud-contract.ts";

const catalogue = embeddedCatalogue();
const settleMs = 120_000;

/** With its usual delays and its staleness: the contract holds in a world that takes time. */
async function makeSimulated(): Promise<CloudUnderTest> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const clusterName = "contract";
  const ec2 = new SimulatedEc2(
    clock,
    { booted: () => {}, gone: () => {} },
    // Only what is made exists.
    { seed: 7, catalogue, clusterName, obliging: false },
  );
  const settle = (): Promise<void> => clock.runUntil(clock.nowMs() + settleMs);
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    let result: { readonly value: T } | undefined;
    clock.spawn(async () => {
      result = { value: await work() };
    });
    await clock.runUntil(clock.nowMs() + 5_000);
    if (result === undefined) throw new Error("the call took more than five seconds");
    return result.value;
  };
  return {
    ...{ cloud: ec2, clusterName, run, settle },
    types: ["m5.large", "c5.xlarge"],
    zones: ["us-east-1a", "us-east-1b"],
    makeShort: async (pool) => ec2.account.capacity.limit(pool, 0),
    throttleNextLaunch: async () => ec2.script.failCalls("launch-instance", { fault: throttled, effect: "none" }),
    loseNextLaunchReply: async () =>
      ec2.script.failCalls("launch-instance", {
        fault: { kind: "unavailable", code: "TimeoutError", message: "no reply" },
        effect: "reply-lost",
      }),
    throttleNextRead: async () => ec2.script.failReads([{ what: "instances", how: "nothing" }]),
    end: async () => {},
  };
}

cloudContract("simulated EC2", makeSimulated);
