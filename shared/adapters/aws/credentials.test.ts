import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AwsCloud } from "./aws-cloud.ts";

const noQuery = { subnets: [], securityGroups: [], images: [], parameters: [], roles: [] };
const clock = { nowMs: () => 1_000_000, sleepUntil: async () => {} };
const nowhere = "/nonexistent";

/** Nothing of whoever runs the tests. */
beforeEach(() => {
  for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"]) {
    vi.stubEnv(name, undefined);
  }
  for (const name of ["AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_FULL_URI"]) vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", undefined);
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", nowhere);
  vi.stubEnv("AWS_CONFIG_FILE", nowhere);
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
});
afterEach(() => vi.unstubAllEnvs());

test("without credentials nothing is concluded, and that there are none is said", async () => {
  const cloud = new AwsCloud({ clusterName: "demo", region: "us-east-1" }, clock);
  const { instances, incomplete, view } = await cloud.observe(noQuery);
  expect(instances).toEqual([]);
  expect(incomplete).toContain("instances");
  expect(view.refusals?.credentials).toMatch(/^there are no AWS credentials: /);
});

test("those of the environment are used as they are, session token and all", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDENVIRONMENT");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
  vi.stubEnv("AWS_SESSION_TOKEN", "session");
  const { awsClients } = await import("./clients.ts");
  const { reading } = awsClients({ region: "us-east-1" });
  expect(await reading.ec2.config.credentials()).toMatchObject({
    accessKeyId: "AKIDENVIRONMENT",
    sessionToken: "session",
  });
});
