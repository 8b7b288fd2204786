import { describe, expect, test } from "vitest";
import { EnvironmentProblem } from "#api/variables.ts";
import {
  readConversionEnvironment,
  readDecidingEnvironment,
  readEnvironment,
  readInterruptionEnvironment,
} from "./environment.ts";

const least = { AWS_REGION: "eu-west-1", CLUSTER_NAME: "blue", CATALOGUE_BUCKET: "b", RECONCILE_FUNCTION: "f" };

describe("the environment", () => {
  test.each(["AWS_REGION", "CLUSTER_NAME", "CATALOGUE_BUCKET", "RECONCILE_FUNCTION"])(
    "without %s nothing starts, and the error names it",
    (name) => {
      const read = () => readInterruptionEnvironment({ ...least, [name]: " " });
      expect(read).toThrow(EnvironmentProblem);
      expect(read).toThrow(`${name}: is not set`);
    },
  );

  test.each([
    ["REACTION", "hours"],
    ["BATCH_IDLE_DURATION", "soon"],
    ["BATCH_MAX_DURATION", "-1s"],
    ["VM_MEMORY_OVERHEAD_PERCENT", "7%"],
    ["RESERVED_ENIS", "-1"],
    ["DISABLE_DRY_RUN", "yes"],
    ["PREFERENCE_POLICY", "respect"],
    ["MIN_VALUES_POLICY", "Loose"],
    ["FEATURE_GATES", "NodeRepair"],
    ["AMI_REFRESH_INTERVAL", "30s"],
    ["SUBNET_REFRESH_INTERVAL", "often"],
    ["DISABLE_CLUSTER_STATE_OBSERVABILITY", "1"],
    ["REMOTE_WRITE_URL", "prometheus:9090"],
    ["LOG_LEVEL", "loud"],
  ])("%s=%s is refused by its name", (name, value) => {
    expect(() => readDecidingEnvironment({ ...least, [name]: value })).toThrow(`${name}: "`);
  });

  test.each([
    ["at eight", "is no JSON"],
    ["{}", "must be a list of windows"],
    ['[{"schedule":"0 20 * * *","duration":"11h","timeZone":"Berlin"}]', "[0].timeZone must be the IANA name"],
  ])("OFF_HOURS=%s is refused with its field", (value, problem) => {
    expect(() => readDecidingEnvironment({ ...least, OFF_HOURS: value })).toThrow(`OFF_HOURS: ${problem}`);
  });

  test.each(["", "short", "s".repeat(31), `${"s".repeat(40)}/x`])("CONVERSION_SECRET=%s is refused", (secret) => {
    expect(() => readConversionEnvironment({ CONVERSION_SECRET: secret })).toThrow("CONVERSION_SECRET: ");
  });

  test("needs no more than the least, with Karpenter's defaults", () => {
    const { settings, reaction, extraMetrics, ...rest } = readDecidingEnvironment(least);
    expect(settings).toMatchObject({
      clusterName: "blue",
      provider: { region: "eu-west-1" },
      preferencePolicy: "Respect",
      batchIdleMs: 1_000,
      batchMaxMs: 10_000,
      featureGates: { nodeRepair: false, reservedCapacity: true, spotToSpotConsolidation: false },
    });
    expect({ reaction, extraMetrics }).toEqual({ reaction: "minute", extraMetrics: [] });
    expect(rest).toEqual({
      region: "eu-west-1",
      clusterName: "blue",
      catalogue: { bucket: "b", key: "catalogue/eu-west-1.json.gz" },
      logLevel: "INFO",
      refresh: { imagesMs: 60_000, subnetsMs: 60_000 },
      objectGauges: true,
    });
  });

  test("takes Karpenter's variables as they are", () => {
    const { settings } = readDecidingEnvironment({
      ...least,
      BATCH_IDLE_DURATION: "2s",
      BATCH_MAX_DURATION: "1m",
      FEATURE_GATES: "NodeRepair=true, SpotToSpotConsolidation=true,CapacityBuffer=false",
      PREFERENCE_POLICY: "Ignore",
      VM_MEMORY_OVERHEAD_PERCENT: "0.05",
      RESERVED_ENIS: "1",
    });
    expect(settings).toMatchObject({
      batchIdleMs: 2_000,
      batchMaxMs: 60_000,
      featureGates: { nodeRepair: true, spotToSpotConsolidation: true },
      preferencePolicy: "Ignore",
      provider: { vmMemoryOverheadPercent: 0.05, reservedEnis: 1 },
    });
  });
});

test("an empty variable is one that is not set", () => {
  expect(readEnvironment({ ...least, AWS_ENDPOINT_URL: "" })).not.toHaveProperty("endpoint");
});
