import { afterAll, beforeAll } from "vitest";
import { AwsCloud } from "#aws/aws-cloud.ts";
import { readAttemptsMax } from "#aws/clients.ts";
import { realClock } from "../../shared/adapters/system/real-clock.ts";
import { type CloudUnderTest, cloudContract } from "../contract/cloud-contract.ts";
import { prepareAccount } from "../support/aws/account.ts";
import { clientsOf } from "../support/aws/clients.ts";
import { StandIn } from "../support/aws/stand-in.ts";

const clusterName = "contract";
let standIn: StandIn;
beforeAll(async () => {
  standIn = await StandIn.start();
});
afterAll(() => standIn.stop());

async function makeAws(): Promise<CloudUnderTest> {
  await standIn.reset();
  await prepareAccount(clientsOf(standIn), "any-cluster", "KarpenterNodeRole-test");
  const { endpoint, region } = standIn;
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  return {
    cloud: new AwsCloud({ clusterName, endpoint, region, credentials }, realClock),
    clusterName,
    types: ["m5.large", "c5.xlarge"],
    zones: ["us-east-1a", "us-east-1b"],
    run: (work) => work(),
    settle: async () => {
      await standIn.advance(120_000);
    },
    makeShort: async (pool) => {
      await standIn.shortage(pool);
    },
    throttleNextLaunch: async () => {
      await standIn.fault({ action: "CreateFleet" });
    },
    loseNextLaunchReply: async () => {
      await standIn.fault({ action: "CreateFleet", effect: "reply-lost" });
    },
    // The client repeats reads: all its attempts meet the limit.
    throttleNextRead: async () => {
      await standIn.fault({ action: "DescribeInstances", count: readAttemptsMax });
    },
    end: async () => {},
  };
}

cloudContract("AWS on the stand-in", makeAws);
