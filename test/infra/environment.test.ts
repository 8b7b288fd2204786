import { describe, expect, test } from "vitest";
import { defaultSettings } from "#core/settings.ts";
import { defaultEc2Settings } from "#ec2/settings.ts";
import type { OutriggerSettings } from "../../infra/settings.ts";
import {
  readDecidingEnvironment,
  readEnvironment,
  readInterruptionEnvironment,
  readSetupEnvironment,
} from "../../lambdas/environment.ts";
import { templateOf, variablesOf } from "./synthesised.ts";

const offHours = [
  { schedule: "0 20 * * mon-fri", duration: "11h", timeZone: "Europe/Berlin", nodePools: ["dev", "test"] },
  { schedule: "@weekly", duration: "24h" },
];
/** What asks for something that is not built is refused; its default is not. */
const unbuilt: OutriggerSettings = {
  nodeOverlay: false,
  staticCapacity: false,
  capacityBuffer: false,
  ignoreDraRequests: true,
  enableZonalShift: false,
  schedulerConfig: "",
};
const runtime = { AWS_REGION: "eu-west-1" };

/** What the function makes of what the template tells it. */
function toldReconcile(settings: OutriggerSettings) {
  const variables = variablesOf(templateOf({ name: "blue", ...settings }), "outrigger-blue-reconcile");
  return readDecidingEnvironment({ ...variables, ...runtime });
}

describe("what the template tells the functions is what they read", () => {
  const template = templateOf({ name: "blue" });

  test("each function starts with its own variables", () => {
    expect(readEnvironment({ ...variablesOf(template, "outrigger-blue-catalog"), ...runtime }).clusterName).toBe(
      "blue",
    );
    const interruption = variablesOf(template, "outrigger-blue-interruption");
    expect(readInterruptionEnvironment({ ...interruption, ...runtime }).reconcileFunction).toBe("filled-in");
    expect(readSetupEnvironment({ ...variablesOf(template, "outrigger-blue-setup"), ...runtime })).toMatchObject({
      ...{ clusterName: "blue", queue: "filled-in", catalogFunction: "filled-in" },
    });
  });

  test("left out, every setting is Karpenter's default", () => {
    const { settings, reaction, recordingsBucket, eventBus } = toldReconcile({});
    expect([reaction, recordingsBucket, eventBus]).toEqual(["minute", "filled-in", undefined]);
    const { provider: _, ...ofTheCore } = defaultSettings;
    const { kubernetesVersion: __, ...ofEc2 } = defaultEc2Settings;
    expect(settings).toEqual({ ...ofTheCore, clusterName: "blue", provider: { ...ofEc2, region: "eu-west-1" } });
  });

  test("the defaults that the properties state are those", () => {
    const stated = toldReconcile({
      reaction: "minute",
      logLevel: "INFO",
      preferencePolicy: "Respect",
      minValuesPolicy: "Strict",
      batchIdleSeconds: 1,
      batchMaxSeconds: 10,
      nodeRepair: false,
      reservedCapacity: true,
      spotToSpotConsolidation: false,
      vmMemoryOverheadPercent: 0.075,
      reservedEnis: 0,
      disableDryRun: false,
      amiRefreshSeconds: 60,
      subnetRefreshSeconds: 60,
      disableClusterStateObservability: false,
      ...unbuilt,
      ignoreWhenAloneNamespaces: [],
      offHours: [],
    });
    expect(stated).toEqual(toldReconcile({}));
  });
});

test("set, every setting arrives at the functions that decide", () => {
  const told = toldReconcile({
    reaction: "seconds",
    logLevel: "DEBUG",
    recordings: false,
    eventBusName: "ops",
    extraMetrics: ["karpenter_pods_state", "karpenter_nodes_allocatable"],
    remoteWriteUrl: "https://prometheus.example/api/v1/write",
    preferencePolicy: "Ignore",
    minValuesPolicy: "BestEffort",
    batchIdleSeconds: 2.5,
    batchMaxSeconds: 20,
    nodeRepair: true,
    reservedCapacity: false,
    spotToSpotConsolidation: true,
    vmMemoryOverheadPercent: 0.05,
    reservedEnis: 1,
    disableDryRun: true,
    amiRefreshSeconds: 300,
    subnetRefreshSeconds: 90,
    disableClusterStateObservability: true,
    ignoreWhenAloneNamespaces: ["kube-system", "monitoring"],
    offHours,
  });
  expect(told).toEqual({
    ...toldReconcile({ recordings: false }),
    reaction: "seconds",
    logLevel: "DEBUG",
    eventBus: "ops",
    extraMetrics: ["karpenter_pods_state", "karpenter_nodes_allocatable"],
    remoteWriteUrl: "https://prometheus.example/api/v1/write",
    refresh: { imagesMs: 300_000, subnetsMs: 90_000 },
    objectGauges: false,
    settings: {
      ...toldReconcile({}).settings,
      preferencePolicy: "Ignore",
      minValuesPolicy: "BestEffort",
      batchIdleMs: 2_500,
      batchMaxMs: 20_000,
      featureGates: { nodeRepair: true, reservedCapacity: false, spotToSpotConsolidation: true },
      ignoreWhenAloneNamespaces: ["kube-system", "monitoring"],
      offHours,
      provider: { region: "eu-west-1", vmMemoryOverheadPercent: 0.05, reservedEnis: 1, disableDryRun: true },
    },
  });
});
