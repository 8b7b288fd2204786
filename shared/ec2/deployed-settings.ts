/**
 * Karpenter counterpart: pkg/operator/options of both repositories, flags and variables of the controller. It differs: what
 * cannot be read is refused by its name, where Karpenter takes its default in silence.
 */
import { offHoursProblems } from "#api/off-hours.ts";
import {
  booleanOf,
  durationOf,
  EnvironmentProblem,
  listOf,
  numberOf,
  oneOf,
  optional,
  type Variables,
} from "#api/variables.ts";
import { defaultSettings, type Settings } from "#core/settings.ts";
import { defaultEc2Settings } from "./settings.ts";

/** Without what the cluster itself says. */
export type DeployedSettings = Omit<Settings, "clusterIdentity">;

/** Under Karpenter's own names of the variables, so that the settings of a deployment can be taken over as they are. */
export function readDeployedSettings(
  variables: Variables,
  { region, clusterName }: { readonly region: string; readonly clusterName: string },
): DeployedSettings {
  const gates = gatesOf(variables);
  const { featureGates } = defaultSettings;
  return {
    ...defaultSettings,
    clusterName,
    preferencePolicy: oneOf(variables, "PREFERENCE_POLICY", ["Respect", "Ignore"], defaultSettings.preferencePolicy),
    minValuesPolicy: oneOf(variables, "MIN_VALUES_POLICY", ["Strict", "BestEffort"], defaultSettings.minValuesPolicy),
    batchIdleMs: durationOf(variables, "BATCH_IDLE_DURATION", defaultSettings.batchIdleMs),
    batchMaxMs: durationOf(variables, "BATCH_MAX_DURATION", defaultSettings.batchMaxMs),
    featureGates: {
      nodeRepair: gates.get("NodeRepair") ?? featureGates.nodeRepair,
      reservedCapacity: gates.get("ReservedCapacity") ?? featureGates.reservedCapacity,
      spotToSpotConsolidation: gates.get("SpotToSpotConsolidation") ?? featureGates.spotToSpotConsolidation,
    },
    ignoreWhenAloneNamespaces: listOf(variables, "IGNORE_WHEN_ALONE_NAMESPACES"),
    offHours: offHoursOf(variables),
    provider: {
      region,
      vmMemoryOverheadPercent: numberOf(
        variables,
        "VM_MEMORY_OVERHEAD_PERCENT",
        defaultEc2Settings.vmMemoryOverheadPercent,
      ),
      reservedEnis: numberOf(variables, "RESERVED_ENIS", defaultEc2Settings.reservedEnis),
      disableDryRun: booleanOf(variables, "DISABLE_DRY_RUN"),
    },
  };
}

/** As `NodeRepair=true,SpotToSpotConsolidation=false`. Karpenter: unknown gates are left alone. */
function gatesOf(variables: Variables): ReadonlyMap<string, boolean> {
  const gates = new Map<string, boolean>();
  for (const word of listOf(variables, "FEATURE_GATES")) {
    const [name = "", value] = word.split("=", 2).map((part) => part.trim());
    if (value !== "true" && value !== "false") {
      throw new EnvironmentProblem("FEATURE_GATES", `"${word}" is not of the form Gate=true`);
    }
    gates.set(name, value === "true");
  }
  return gates;
}

/** As JSON, which a list of windows is clearest in. */
function offHoursOf(variables: Variables): Settings["offHours"] {
  const text = optional(variables, "OFF_HOURS");
  if (text === undefined) return defaultSettings.offHours;
  let windows: unknown;
  try {
    windows = JSON.parse(text);
  } catch {
    throw new EnvironmentProblem("OFF_HOURS", "is no JSON");
  }
  const [problem] = offHoursProblems(windows);
  if (problem !== undefined) throw new EnvironmentProblem("OFF_HOURS", problem);
  return windows as Settings["offHours"];
}
