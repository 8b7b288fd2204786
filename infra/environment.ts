import { defaults, type OutriggerSettings } from "./settings.ts";

type Variables = Readonly<Record<string, string>>;

export interface DeployedParts {
  readonly clusterName: string;
  readonly catalogueBucket: string;
  /** Absent: no recordings are made. */
  readonly recordingsBucket?: string;
}

/** What every function is told. */
export function loggingVariables(
  { clusterName }: Pick<DeployedParts, "clusterName">,
  settings: OutriggerSettings,
): Variables {
  return { CLUSTER_NAME: clusterName, LOG_LEVEL: settings.logLevel ?? defaults.logLevel };
}

/** What those are told that look at AWS for the loop. */
export function commonVariables(parts: DeployedParts, settings: OutriggerSettings): Variables {
  return { ...loggingVariables(parts, settings), CATALOGUE_BUCKET: parts.catalogueBucket };
}

/** What the functions that decide are told besides; what is left out is their own default. */
export function decidingVariables(parts: DeployedParts, settings: OutriggerSettings): Variables {
  const { batchIdleSeconds, batchMaxSeconds, amiRefreshSeconds, subnetRefreshSeconds } = settings;
  return {
    ...commonVariables(parts, settings),
    REACTION: settings.reaction ?? defaults.reaction,
    ...set("RECORDINGS_BUCKET", parts.recordingsBucket),
    ...set("EVENT_BUS", settings.eventBusName),
    ...set("EXTRA_METRICS", settings.extraMetrics),
    ...set("REMOTE_WRITE_URL", settings.remoteWriteUrl),
    ...set("PREFERENCE_POLICY", settings.preferencePolicy),
    ...set("MIN_VALUES_POLICY", settings.minValuesPolicy),
    ...set("BATCH_IDLE_DURATION", duration(batchIdleSeconds)),
    ...set("BATCH_MAX_DURATION", duration(batchMaxSeconds)),
    ...set("FEATURE_GATES", gates(settings)),
    ...set("VM_MEMORY_OVERHEAD_PERCENT", settings.vmMemoryOverheadPercent),
    ...set("RESERVED_ENIS", settings.reservedEnis),
    ...set("DISABLE_DRY_RUN", settings.disableDryRun),
    ...set("AMI_REFRESH_INTERVAL", duration(amiRefreshSeconds)),
    ...set("SUBNET_REFRESH_INTERVAL", duration(subnetRefreshSeconds)),
    ...set("DISABLE_CLUSTER_STATE_OBSERVABILITY", settings.disableClusterStateObservability),
    ...set("IGNORE_WHEN_ALONE_NAMESPACES", settings.ignoreWhenAloneNamespaces),
    ...set("OFF_HOURS", settings.offHours === undefined ? undefined : JSON.stringify(settings.offHours)),
  };
}

function gates({ nodeRepair, reservedCapacity, spotToSpotConsolidation }: OutriggerSettings): readonly string[] {
  const named = {
    NodeRepair: nodeRepair,
    ReservedCapacity: reservedCapacity,
    SpotToSpotConsolidation: spotToSpotConsolidation,
  };
  return Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
}

/** As the functions read it: without an exponent, to the nanosecond. */
function duration(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : `${seconds.toFixed(9).replace(/\.?0+$/, "")}s`;
}

function set(name: string, value: string | number | boolean | readonly string[] | undefined): Variables {
  const text = Array.isArray(value) ? value.join(",") : value === undefined ? "" : String(value);
  return text === "" ? {} : { [name]: text };
}
